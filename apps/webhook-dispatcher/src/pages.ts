import { grouped } from '@chairside/domain';
import type { Deliveries, QueuedDelivery } from '@chairside/mongodb';

/** The most that waits in a lane's memory. */
const MAX_PAGE = 200;
/** How many wait in a lane's memory at the least. */
const MIN_PAGE = 20;
/** How many Deliveries wait in the memory of all lanes together, if each has few. */
const MAX_IN_PAGES = 50_000;
/** The most lanes that look into the database at once: whatever else is done needs its connections, too. */
const MAX_READS = 20;

/** What waits for subscriptions in the database, a page of each at a time. */
export type Pages = {
  /** How much may wait in a lane's memory: what is more waits in the database alone. */
  size(): number;
  /** Some of what waits for this subscription, and whether there may be more. */
  read(subscriptionId: string): Promise<{ page: QueuedDelivery[]; more: boolean }>;
};

/** @param lanes how many lanes there are: the more, the less of each waits in memory */
export const createPages = (deliveries: Pick<Deliveries, 'queued'>, lanes: () => number): Pages => {
  const size = () => Math.max(MIN_PAGE, Math.min(MAX_PAGE, Math.floor(MAX_IN_PAGES / lanes())));
  return {
    size,
    read: grouped(async (subscriptionIds) => {
      const limit = size();
      const reads = subscriptionIds.map(async (id) => {
        const page = await deliveries.queued(id, limit);
        return { page, more: page.length === limit };
      });
      await Promise.allSettled(reads);
      return reads;
    }, MAX_READS),
  };
};
