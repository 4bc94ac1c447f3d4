import type { DeliveryOutcome } from '@chairside/domain';
import type { Collection } from '../driver/database.ts';
import type { DeliveryDocument } from './deliveries.ts';

/** The outcomes of deliveries without success. */
export const UNSUCCESSFUL: readonly DeliveryOutcome[] = ['failed', 'interrupted', 'skipped'];

/** What identifies the attempts of one event for one subscription, and their order. */
type Attempt = Pick<DeliveryDocument, 'eventId' | 'subscriptionId' | 'createdTime'>;

/**
 * Returns a function that tells whether a later redelivery of a delivery of this group succeeded.
 *
 * @param group deliveries of the organization. The group must be small
 * @param exceptOf the id of a bulk redelivery whose own redeliveries do not count
 */
export const repairsOf = async (
  collection: Collection<DeliveryDocument>,
  organizationId: string,
  group: readonly Attempt[],
  exceptOf?: string,
): Promise<(each: Attempt) => boolean> => {
  if (group.length === 0) return () => false;
  const eventId = { $in: [...new Set(group.map((each) => each.eventId))] };
  // A delivery may have any number of redeliveries, so the database returns the last successful one only.
  const repairs = await collection
    .aggregate<{ _id: Pick<Attempt, 'eventId' | 'subscriptionId'>; createdTime: Date }>(
      [
        {
          $match: {
            organizationId,
            eventId,
            kind: 'redelivery',
            status: 'succeeded',
            ...(exceptOf !== undefined && { bulkId: { $ne: exceptOf } }),
          },
        },
        {
          $group: {
            _id: { eventId: '$eventId', subscriptionId: '$subscriptionId' },
            createdTime: { $max: '$createdTime' },
          },
        },
      ],
      { hint: { eventId: 1 } },
    )
    .toArray();
  const lastOf = new Map(
    repairs.map(({ _id, createdTime }) => [`${_id.eventId} ${_id.subscriptionId}`, createdTime]),
  );
  return ({ eventId: id, subscriptionId, createdTime }) => {
    const last = lastOf.get(`${id} ${subscriptionId}`);
    return last !== undefined && last >= createdTime;
  };
};
