import type { Deliveries, QueuedDelivery } from '@chairside/mongodb';
import { batched } from '@chairside/runtime';

/** Maximum number of deliveries in a lane's page. */
const MAX_PAGE = 200;
/** Minimum size of a lane's page, in deliveries. */
const MIN_PAGE = 20;
/**
 * Maximum number of deliveries in the pages of all lanes together. With very many lanes, pages of the minimum size may
 * exceed it.
 */
const MAX_IN_PAGES = 50_000;
/** Maximum number of lanes that read the database at the same time, so that connections remain for other work. */
const MAX_READS = 20;

/** Reads the queued deliveries of subscriptions, a page of each at a time. */
export type QueuePages = {
  /** The size of a lane's page. Further deliveries wait only in the database. */
  size(): number;
  /** Returns queued deliveries of this subscription, and whether these are all. */
  read(subscriptionId: string): Promise<{ page: QueuedDelivery[]; isAll: boolean }>;
};

/** @param lanes the number of lanes. The more lanes, the smaller the pages. */
export const createQueuePages = (deliveries: Pick<Deliveries, 'queued'>, lanes: () => number): QueuePages => {
  const size = () => Math.max(MIN_PAGE, Math.min(MAX_PAGE, Math.floor(MAX_IN_PAGES / lanes())));
  return {
    size,
    read: batched(async (subscriptionIds) => {
      const limit = size();
      const reads = subscriptionIds.map(async (id) => {
        const page = await deliveries.queued(id, limit);
        return { page, isAll: page.length < limit };
      });
      await Promise.allSettled(reads);
      return reads;
    }, MAX_READS),
  };
};
