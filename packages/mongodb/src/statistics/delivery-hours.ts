import { ServiceError } from '@chairside/runtime';
import type { Collection } from 'mongodb';
import { DELIVERY_LIFE_MS, type DeliveryDocument } from '../deliveries/deliveries.ts';
import { isReopened } from '../deliveries/reopened.ts';
import { findUnique, untilNoDeadlock } from '../driver/ferretdb.ts';
import { HOUR, hourOf } from './hour-counts.ts';
import { createHourComputation, type DeliveryHourDocument, expiryOfFinal } from './hour-rows.ts';

/**
 * The progress of the sweep. An hour is closed when its statistics are stored. The collection contains only one such
 * document.
 */
export type HourProgressDocument = {
  _id: string;
  /** All hours before this time are closed. */
  closedTo: Date;
  /** The number of computations so far. */
  revision: number;
};
export const HOUR_PROGRESS = 'deliveryHours';

/** Computes the statistics of all organizations, for the dispatcher. Each step may be repeated, by any process. */
export type DeliveryHours = {
  /**
   * Closes the next hour that has deliveries. Hours without deliveries are skipped.
   *
   * @param endedBefore only an hour that has ended by this time is closed
   * @returns whether an hour with deliveries was closed
   */
  closeNext(endedBefore: Date, now: Date): Promise<boolean>;
  /**
   * Computes those closed hours again in which the outcome of a delivery has changed.
   *
   * @param limit the maximum number of changed deliveries to examine
   * @returns the number of hours that were computed
   */
  recompute(now: Date, limit: number): Promise<number>;
};

export const openDeliveryHours = (
  hours: Collection<DeliveryHourDocument>,
  progress: Collection<HourProgressDocument>,
  deliveries: Collection<DeliveryDocument>,
): DeliveryHours => {
  /** The last known value of `closedTo`. It may be outdated, but `closedTo` only increases. */
  let known: Date | undefined;

  /** The first hour whose deliveries are all still stored. */
  const firstWhole = (now: Date): Date => hourOf(new Date(now.getTime() - DELIVERY_LIFE_MS + HOUR));

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
    if (result === null) throw new ServiceError('the progress of the statistics was deleted');
    return result.revision;
  };

  const compute = createHourComputation(hours, deliveries, nextRevision);

  const advance = async (from: Date, closedTo: Date): Promise<void> => {
    await progress.updateOne({ _id: HOUR_PROGRESS, closedTo: from }, { $set: { closedTo } });
  };

  /** The hour of the first delivery that became final in this period. */
  const nextHour = async (from: Date, to: Date): Promise<Date | undefined> => {
    const [first] = await deliveries
      .find(
        { expireAt: expiryOfFinal(from, to) },
        { projection: { expireAt: 1 }, sort: { expireAt: 1 }, limit: 1 },
      )
      .toArray();
    return first?.expireAt && hourOf(new Date(first.expireAt.getTime() - DELIVERY_LIFE_MS));
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
      // The mark of an hour that has ended and is not closed stays, because another process may be closing the hour
      // with data that it read before the change. The hour is computed again after it is closed.
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
        // The mark is removed only if the delivery has not changed again in the meantime.
        const filter = { _id, subscriptionId, reopened };
        const update = left.length > 0 ? { $set: { reopened: left } } : { $unset: { reopened: '' as const } };
        return [{ updateOne: { filter, update } }];
      });
      if (settled.length > 0) await untilNoDeadlock(() => deliveries.bulkWrite(settled, { ordered: false }));
      return due.size;
    },
  };
};
