import { batched } from '@chairside/concurrency';
import type { Deliveries, QueuedDelivery } from '@chairside/mongodb/dispatch';

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
  /**
   * Returns queued deliveries of this subscription, and whether these are all. If the subscription is slowed down and
   * has tests or redeliveries, these are returned.
   */
  read(lane: { subscriptionId: string; isSlowed: boolean }): Promise<{
    page: QueuedDelivery[];
    isAll: boolean;
  }>;
};

/**
 * @param lanes the number of lanes. The more lanes, the smaller the pages.
 * @param isHolding whether only released deliveries leave
 */
export const createQueuePages = (
  deliveries: Pick<Deliveries, 'queued' | 'requested'>,
  lanes: () => number,
  isHolding: boolean,
): QueuePages => {
  const which = { isReleased: isHolding };
  const size = () => Math.max(MIN_PAGE, Math.min(MAX_PAGE, Math.floor(MAX_IN_PAGES / lanes())));
  return {
    size,
    read: batched(async (group) => {
      const limit = size();
      const reads = group.map(async ({ subscriptionId, isSlowed }) => {
        const requested = isSlowed ? await deliveries.requested(subscriptionId, limit, which) : [];
        if (requested.length > 0) return { page: requested, isAll: false };
        const page = await deliveries.queued(subscriptionId, limit, which);
        return { page, isAll: page.length < limit };
      });
      await Promise.allSettled(reads);
      return reads;
    }, MAX_READS),
  };
};
