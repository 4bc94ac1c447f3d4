import type { Deliveries, QueuedDelivery } from '@chairside/mongodb';
import { batched } from '@chairside/runtime';

/** The most that waits in a lane's memory. */
const MAX_PAGE = 200;
/** How many wait in a lane's memory at the least. */
const MIN_PAGE = 20;
/** How many Deliveries wait in the memory of all lanes together, if each has few. */
const MAX_IN_PAGES = 50_000;
/** The most lanes that look into the database at once: whatever else is done needs its connections, too. */
const MAX_READS = 20;

/** What waits for subscriptions in the database, a page of each at a time. */
export type QueuePages = {
  /** How much may wait in a lane's memory: what is more waits in the database alone. */
  size(): number;
  /** Some of the queued deliveries of this subscription, and whether these are all. */
  read(subscriptionId: string): Promise<{ page: QueuedDelivery[]; isAll: boolean }>;
};

/** @param lanes how many lanes there are: the more, the less of each waits in memory */
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
