import type { Collection } from 'mongodb';
import { duplicatesIn } from './database.ts';
import { DELIVERY_LIFE, type DeliveryDocument, isReopened } from './deliveries.ts';
import { findUnique, untilNoDeadlock } from './ferretdb.ts';
import {
  addGroup,
  type CountedGroup,
  countStages,
  HOUR,
  type HourCounts,
  hourOf,
  noCounts,
} from './hour-counts.ts';

/** An hour is counted in slices of this length, in milliseconds, so that no query takes long. */
const SLICE = 5 * 60 * 1000;
/** The most rows that one statement writes. */
const ROWS_AT_ONCE = 500;
/** Comes after every character of an id. */
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

/** How far the sweep has closed the hours. There is one document. */
export type HourProgressDocument = {
  _id: string;
  /** The hours before this time are closed. */
  closedTo: Date;
  /** Counts the computations. */
  revision: number;
};
export const HOUR_PROGRESS = 'deliveryHours';

/** The `_id` of a row; rows of an hour have a common prefix. */
export const hourRowId = (hour: string, subscriptionId: string): string => `${hour}-${subscriptionId}`;

/** The statistics of all organizations, as the dispatcher computes them. Each step may be repeated, by any process. */
export type DeliveryHours = {
  /**
   * Closes the next hour that has deliveries. Hours without deliveries are skipped.
   *
   * @param endedBefore closes only hours that ended by then
   * @returns whether an hour was closed
   */
  closeNext(endedBefore: Date, now: Date): Promise<boolean>;
  /**
   * Computes closed hours again in which the outcome of a delivery has changed.
   *
   * @param limit the most changed deliveries to look at
   * @returns the number of hours
   */
  recompute(now: Date, limit: number): Promise<number>;
};

export const openDeliveryHours = (
  hours: Collection<DeliveryHourDocument>,
  progress: Collection<HourProgressDocument>,
  deliveries: Collection<DeliveryDocument>,
): DeliveryHours => {
  /** The last known value of `closedTo`. It only grows, so an older one is never wrong. */
  let known: Date | undefined;

  /** The first hour of which all deliveries are still stored. */
  const firstWhole = (now: Date): Date => hourOf(new Date(now.getTime() - DELIVERY_LIFE + HOUR));
  const finalFrom = (from: Date, to: Date) => ({
    $gte: new Date(from.getTime() + DELIVERY_LIFE),
    $lt: new Date(to.getTime() + DELIVERY_LIFE),
  });

  const readClosedTo = async (now: Date): Promise<Date> => {
    const found = await findUnique(progress, { _id: HOUR_PROGRESS });
    if (found !== undefined) return found.closedTo;
    const $setOnInsert = { closedTo: firstWhole(now), revision: 0 };
    await progress.updateOne({ _id: HOUR_PROGRESS }, { $setOnInsert }, { upsert: true });
    return readClosedTo(now);
  };

  const nextRevision = async (): Promise<number> => {
    const result = await progress.findOneAndUpdate(
      { _id: HOUR_PROGRESS },
      { $inc: { revision: 1 } },
      { returnDocument: 'after' },
    );
    if (result === null) throw new Error('the progress of the statistics was deleted');
    return result.revision;
  };

  type Row = Omit<DeliveryHourDocument, 'revision' | 'expireAt'>;

  const count = async (hour: Date): Promise<Map<string, Row>> => {
    const rows = new Map<string, Row>();
    for (let begin = hour.getTime(); begin < hour.getTime() + HOUR; begin += SLICE) {
      // By `expireAt`, which has an index, and is always the same time after `finalTime`.
      const expireAt = finalFrom(new Date(begin), new Date(begin + SLICE));
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
        // The row of a later computation does not match, so the upsert meets its `_id`. The later row stays.
        if (duplicatesIn(error) === undefined) throw error;
      });
    }
  };

  /**
   * Counts the deliveries of an hour and stores the rows. Rows whose deliveries are all gone get zeros; they are not
   * deleted, because an earlier computation that is still running would write them again.
   */
  const compute = async (hour: Date): Promise<void> => {
    // Before counting: every change that this computation may miss belongs to a later one, which has a higher number.
    const revision = await nextRevision();
    const rows = await count(hour);
    const prefix = hourRowId(hour.toISOString(), '');
    const present = await hours
      .find(
        { _id: { $gte: prefix, $lt: prefix + AFTER_EVERY_ID } },
        { projection: { organizationId: 1, clinicId: 1, subscriptionId: 1 } },
      )
      .toArray();
    const emptied = present
      .filter(({ _id }) => !rows.has(_id))
      .map(({ _id, organizationId, clinicId, subscriptionId }) => ({
        ...{ _id, organizationId, clinicId, subscriptionId },
        ...noCounts(),
      }));
    await write([...rows.values(), ...emptied], revision, new Date(hour.getTime() + HOUR + DELIVERY_LIFE));
  };

  const advance = async (from: Date, closedTo: Date): Promise<void> => {
    await progress.updateOne({ _id: HOUR_PROGRESS, closedTo: from }, { $set: { closedTo } });
  };

  /** The hour of the first delivery that became final in this period. */
  const nextHour = async (from: Date, to: Date): Promise<Date | undefined> => {
    const [first] = await deliveries
      .find(
        { expireAt: finalFrom(from, to) },
        { projection: { expireAt: 1 }, sort: { expireAt: 1 }, limit: 1 },
      )
      .toArray();
    return first?.expireAt && hourOf(new Date(first.expireAt.getTime() - DELIVERY_LIFE));
  };

  return {
    async closeNext(endedBefore, now) {
      const end = hourOf(endedBefore);
      if (known !== undefined && known >= end) return false;
      known = await readClosedTo(now);
      if (known >= end) return false;
      const first = firstWhole(now);
      const hour = await nextHour(known < first ? first : known, end);
      if (hour !== undefined) await compute(hour);
      await advance(known, hour === undefined ? end : new Date(hour.getTime() + HOUR));
      return hour !== undefined;
    },

    async recompute(now, limit) {
      const changed = await deliveries
        .find(isReopened, { projection: { subscriptionId: 1, reopened: 1 }, limit })
        .toArray();
      if (changed.length === 0) return 0;
      const closedTo = await readClosedTo(now);
      const isClosed = (time: Date) => time < closedTo;
      // Such an hour may be being closed by another process, from what it read before the change. It is computed again
      // when it is closed.
      const isPending = (time: Date) => !isClosed(time) && time < hourOf(now);
      const first = firstWhole(now);
      const times = changed.flatMap(({ reopened = [] }) => reopened);
      const due = new Set(
        times.filter((time) => isClosed(time) && time >= first).map((time) => +hourOf(time)),
      );
      for (const hour of due) await compute(new Date(hour));
      const settled = changed.flatMap(({ _id, subscriptionId, reopened = [] }) => {
        const left = reopened.filter(isPending);
        if (left.length === reopened.length) return [];
        // Only if the delivery has not changed again meanwhile.
        const filter = { _id, subscriptionId, reopened };
        const update = left.length > 0 ? { $set: { reopened: left } } : { $unset: { reopened: '' as const } };
        return [{ updateOne: { filter, update } }];
      });
      if (settled.length > 0) await untilNoDeadlock(() => deliveries.bulkWrite(settled, { ordered: false }));
      return due.size;
    },
  };
};
