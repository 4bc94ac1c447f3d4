import type { Collection } from '../driver/database.ts';
import type { DeletedSubscriptionDocument, SubscriptionDocument } from './subscriptions.ts';

/**
 * Returns a function that reads the ids of the subscriptions of all organizations in their order: the first `limit` ids
 * after a given one. It also finds the subscriptions that were deleted while their deliveries are kept.
 */
export const openSubscriptionIds =
  (
    subscriptions: Collection<SubscriptionDocument>,
    deleted: Collection<DeletedSubscriptionDocument>,
  ): ((after: string, limit: number) => Promise<string[]>) =>
  async (after, limit) => {
    const filter = { _id: { $gt: after } };
    const options = { projection: { _id: 1 }, sort: { _id: 1 } } as const;
    // A deletion is stored before the subscription is removed, so reading in this order finds every subscription.
    const present = await subscriptions.find(filter, { ...options, limit }).toArray();
    const gone = await deleted.find(filter, { ...options, limit }).toArray();
    const ids = new Set([...present, ...gone].map(({ _id }) => _id));
    return [...ids].toSorted((one, other) => (one < other ? -1 : 1)).slice(0, limit);
  };
