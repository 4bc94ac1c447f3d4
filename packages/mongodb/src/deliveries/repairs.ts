import type { DeliveryOutcome } from '@chairside/domain';
import type { Collection } from 'mongodb';
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
  const found = await collection
    .find(
      { organizationId, eventId, kind: 'redelivery', status: 'succeeded' },
      { projection: { eventId: 1, subscriptionId: 1, createdTime: 1, bulkId: 1 }, hint: { eventId: 1 } },
    )
    .toArray();
  const repairs = found.filter(({ bulkId }) => exceptOf === undefined || bulkId !== exceptOf);
  return (each) =>
    repairs.some(
      (repair) =>
        repair.eventId === each.eventId &&
        repair.subscriptionId === each.subscriptionId &&
        repair.createdTime >= each.createdTime,
    );
};
