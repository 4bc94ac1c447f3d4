import { DELIVERY_LIFE_MS, type DeliveryDocument } from '../deliveries/deliveries.ts';
import type { Collection } from '../driver/database.ts';
import { byId, duplicatesIn, upsertAll } from '../driver/statements.ts';
import {
  addGroup,
  type CountedGroup,
  countStage,
  HOUR,
  type HourCounts,
  isCounted,
  noCounts,
} from './hour-counts.ts';

/** The number of parts in which a period is counted that has too many deliveries for one statement. */
const PARTS = 12;

/** The counts of one subscription in one hour. The `_id` begins with the hour, so rows are ordered by time. */
export type DeliveryHourDocument = HourCounts & {
  _id: string;
  organizationId: string;
  clinicId: string;
  subscriptionId: string;
  /** The number of the computation that wrote the row. A row is replaced only by a later computation. */
  revision: number;
  expireAt: Date;
};
type Row = Omit<DeliveryHourDocument, 'revision' | 'expireAt'>;

/** The `_id` of a row. */
export const hourRowId = (hour: string, subscriptionId: string): string => `${hour}-${subscriptionId}`;

/** The values of `expireAt` of deliveries that became final in this period. There is an index by `expireAt`. */
export const expiryOfFinal = (from: Date, to: Date) => ({
  $gte: new Date(from.getTime() + DELIVERY_LIFE_MS),
  $lt: new Date(to.getTime() + DELIVERY_LIFE_MS),
});

/**
 * Returns a function that counts the deliveries of an hour of some subscriptions, of any organizations, and stores
 * their rows. The function may be called for the same hour again, even by several processes at once.
 *
 * @param nextRevision returns a higher number for each computation
 * @param maxCounted the maximum number of deliveries that one statement counts, unless they became final in the same
 *   millisecond
 */
export const createHourComputation = (
  hours: Collection<DeliveryHourDocument>,
  deliveries: Collection<DeliveryDocument>,
  nextRevision: () => Promise<number>,
  maxCounted = 100_000,
): ((hour: Date, subscriptionIds: readonly string[]) => Promise<void>) => {
  /** Counts the deliveries that became final in a period. */
  const groupsOf = async (
    subscriptionIds: readonly string[],
    from: Date,
    to: Date,
  ): Promise<CountedGroup[]> => {
    const isShortest = to.getTime() - from.getTime() <= 1;
    const groups = await deliveries
      .aggregate<CountedGroup>(
        [
          {
            $match: {
              subscriptionId: { $in: [...subscriptionIds] },
              ...isCounted,
              expireAt: expiryOfFinal(from, to),
            },
          },
          ...(isShortest ? [] : [{ $limit: maxCounted + 1 }]),
          countStage,
        ],
        { hint: { subscriptionId: 1, status: 1, expireAt: 1 } },
      )
      .toArray();
    const counted = groups.reduce((sum, { count }) => sum + count, 0);
    if (isShortest || counted <= maxCounted) return groups;
    const length = Math.ceil((to.getTime() - from.getTime()) / PARTS);
    const parts: CountedGroup[] = [];
    for (let begin = from; begin < to; ) {
      const end = new Date(Math.min(begin.getTime() + length, to.getTime()));
      parts.push(...(await groupsOf(subscriptionIds, begin, end)));
      begin = end;
    }
    return parts;
  };

  const count = async (hour: Date, subscriptionIds: readonly string[]): Promise<Map<string, Row>> => {
    const rows = new Map<string, Row>();
    for (const group of await groupsOf(subscriptionIds, hour, new Date(hour.getTime() + HOUR))) {
      const { subscriptionId } = group._id;
      const { organizationId, clinicId } = group;
      const _id = hourRowId(hour.toISOString(), subscriptionId);
      const row = rows.get(_id) ?? { _id, organizationId, clinicId, subscriptionId, ...noCounts() };
      addGroup(row, group);
      rows.set(_id, row);
    }
    return rows;
  };

  /** Returns rows with zeros for the stored rows that have no deliveries any more. */
  const emptied = async (ids: readonly string[], rows: ReadonlyMap<string, Row>): Promise<Row[]> => {
    const without = ids.filter((id) => !rows.has(id));
    const stored = await hours
      .find(
        { _id: { $in: without } },
        { projection: { organizationId: 1, clinicId: 1, subscriptionId: 1 }, ...byId },
      )
      .toArray();
    return stored.map((row) => ({ ...row, ...noCounts() }));
  };

  const write = async (rows: readonly Row[], revision: number, expireAt: Date): Promise<void> => {
    const upserts = rows.map(({ _id, organizationId, ...row }) => ({
      filter: { _id, organizationId, revision: { $lt: revision } },
      update: { $set: { ...row, revision, expireAt } },
    }));
    await upsertAll(hours, upserts).catch((error: unknown) => {
      // The filter does not match the row of a later computation, so the upsert fails with a duplicate `_id`. The later
      // row stays.
      if (duplicatesIn(error) === undefined) throw error;
    });
  };

  return async (hour, subscriptionIds) => {
    // The number is assigned before counting. A change that this computation misses is then counted by a later
    // computation, which has a higher number.
    const revision = await nextRevision();
    const rows = await count(hour, subscriptionIds);
    const ids = subscriptionIds.map((id) => hourRowId(hour.toISOString(), id));
    // Rows without deliveries get zeros. They are not deleted, because an earlier computation that is still running
    // would write them again.
    const all = [...rows.values(), ...(await emptied(ids, rows))];
    await write(all, revision, new Date(hour.getTime() + HOUR + DELIVERY_LIFE_MS));
  };
};
