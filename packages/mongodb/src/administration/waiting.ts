import type { DeliveryDocument } from '../deliveries/deliveries.ts';
import type { Collection } from '../driver/database.ts';

/** How many queued deliveries are looked at, the oldest first. */
const MAX_EXAMINED = 100_000;

/** The queued deliveries of one subscription, among those that were looked at. */
export type WaitingDeliveries = { subscriptionId: string; waiting: number; oldestTime: string };

/** The subscriptions with most queued deliveries. */
export const mostWaiting = async (
  deliveries: Collection<DeliveryDocument>,
  limit: number,
): Promise<WaitingDeliveries[]> => {
  const found = await deliveries
    .aggregate<{ _id: string; waiting: number; oldest: Date }>([
      { $match: { status: 'queued', createdTime: { $gt: new Date(0) } } },
      { $sort: { createdTime: 1 } },
      { $limit: MAX_EXAMINED },
      { $group: { _id: '$subscriptionId', waiting: { $sum: 1 }, oldest: { $min: '$createdTime' } } },
      { $sort: { waiting: -1, _id: 1 } },
      { $limit: limit },
    ])
    .toArray();
  return found.map(({ _id, waiting, oldest }) => ({
    subscriptionId: _id,
    waiting,
    oldestTime: oldest.toISOString(),
  }));
};
