import type { Collection } from 'mongodb';
import { DELIVERY_LIFE_MS, type DeliveryDocument } from '../deliveries/deliveries.ts';
import { duplicatesIn } from '../driver/statements.ts';
import { addGroup, type CountedGroup, countStages, HOUR, type HourCounts, noCounts } from './hour-counts.ts';

/** The length of the slices in which an hour is counted, so that no query takes long. */
const SLICE_MS = 5 * 60 * 1000;
/** Maximum number of rows that one statement writes. */
const ROWS_AT_ONCE = 500;
/** A character that sorts after every character of an id. */
const AFTER_EVERY_ID = '~';

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

/** The `_id` of a row. The rows of an hour have a common prefix. */
export const hourRowId = (hour: string, subscriptionId: string): string => `${hour}-${subscriptionId}`;

/** The values of `expireAt` of deliveries that became final in this period. There is an index by `expireAt`. */
export const expiryOfFinal = (from: Date, to: Date) => ({
  $gte: new Date(from.getTime() + DELIVERY_LIFE_MS),
  $lt: new Date(to.getTime() + DELIVERY_LIFE_MS),
});

/**
 * Returns a function that counts the deliveries of an hour and stores the rows of all organizations. The function may
 * be called for the same hour again, even by several processes at once.
 *
 * @param nextRevision returns a higher number for each computation
 */
export const createHourComputation = (
  hours: Collection<DeliveryHourDocument>,
  deliveries: Collection<DeliveryDocument>,
  nextRevision: () => Promise<number>,
): ((hour: Date) => Promise<void>) => {
  const count = async (hour: Date): Promise<Map<string, Row>> => {
    const rows = new Map<string, Row>();
    for (let begin = hour.getTime(); begin < hour.getTime() + HOUR; begin += SLICE_MS) {
      const expireAt = expiryOfFinal(new Date(begin), new Date(begin + SLICE_MS));
      const groups = deliveries.aggregate<CountedGroup>([{ $match: { expireAt } }, ...countStages]);
      for await (const group of groups) {
        const { subscriptionId } = group._id;
        const _id = hourRowId(hour.toISOString(), subscriptionId);
        const { organizationId, clinicId } = group;
        const row = rows.get(_id) ?? { _id, organizationId, clinicId, subscriptionId, ...noCounts() };
        addGroup(row, group);
        rows.set(_id, row);
      }
    }
    return rows;
  };

  /** Returns rows with zeros for the stored rows of an hour that have no deliveries any more. */
  const emptied = async (hour: Date, rows: ReadonlyMap<string, Row>): Promise<Row[]> => {
    const prefix = hourRowId(hour.toISOString(), '');
    const stored = await hours
      .find(
        { _id: { $gte: prefix, $lt: prefix + AFTER_EVERY_ID } },
        { projection: { organizationId: 1, clinicId: 1, subscriptionId: 1 } },
      )
      .toArray();
    return stored.filter(({ _id }) => !rows.has(_id)).map((row) => ({ ...row, ...noCounts() }));
  };

  const write = async (rows: readonly Row[], revision: number, expireAt: Date): Promise<void> => {
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
      const updates = rows.slice(from, from + ROWS_AT_ONCE).map(({ _id, organizationId, ...row }) => ({
        updateOne: {
          filter: { _id, organizationId, revision: { $lt: revision } },
          update: { $set: { ...row, revision, expireAt } },
          upsert: true,
        },
      }));
      await hours.bulkWrite(updates, { ordered: false }).catch((error: unknown) => {
        // The filter does not match the row of a later computation, so the upsert fails with a duplicate `_id`. The
        // later row stays.
        if (duplicatesIn(error) === undefined) throw error;
      });
    }
  };

  return async (hour) => {
    // The number is assigned before counting. A change that this computation misses is then counted by a later
    // computation, which has a higher number.
    const revision = await nextRevision();
    const rows = await count(hour);
    // Rows without deliveries get zeros. They are not deleted, because an earlier computation that is still running
    // would write them again.
    const all = [...rows.values(), ...(await emptied(hour, rows))];
    await write(all, revision, new Date(hour.getTime() + HOUR + DELIVERY_LIFE_MS));
  };
};
