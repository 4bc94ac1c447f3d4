import { ServiceError } from '@chairside/domain';
import { DELIVERY_LIFE_MS, type DeliveryDocument } from '../deliveries/deliveries.ts';
import { isReopened } from '../deliveries/reopened.ts';
import type { Collection } from '../driver/database.ts';
import { findUnique, untilNoDeadlock } from '../driver/ferretdb.ts';
import { atMost } from '../driver/statements.ts';
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
  /** The hour that is being closed. The subscriptions with an `_id` of at most `after` are counted. */
  counting?: { hour: Date; after: string };
};
export const HOUR_PROGRESS = 'deliveryHours';

/** The number of subscriptions whose deliveries one step counts. */
const SUBSCRIPTIONS_AT_ONCE = 100;

/** Computes the statistics of all organizations, for the dispatcher. Each step may be repeated, by any process. */
export type DeliveryHours = {
  /**
   * Does the next step towards closing the next hour that has deliveries: counts the deliveries of the next
   * subscriptions. Hours without deliveries are skipped.
   *
   * @param endedBefore only an hour that has ended by this time is closed
   * @returns whether there was such an hour
   */
  closeNext(endedBefore: Date, now: Date): Promise<boolean>;
  /**
   * Computes those rows of closed hours again in which the outcome of a delivery has changed.
   *
   * @param limit the maximum number of changed deliveries to examine
   * @returns the number of rows that were computed
   */
  recompute(now: Date, limit: number): Promise<number>;
};

/** @param nextSubscriptions see `openSubscriptionIds` */
export const openDeliveryHours = (
  hours: Collection<DeliveryHourDocument>,
  progress: Collection<HourProgressDocument>,
  deliveries: Collection<DeliveryDocument>,
  nextSubscriptions: (after: string, limit: number) => Promise<string[]>,
): DeliveryHours => {
  /** The last known value of `closedTo`. It may be outdated, but `closedTo` only increases. */
  let known: Date | undefined;

  /** The first hour whose deliveries are all still stored. */
  const firstWhole = (now: Date): Date => hourOf(new Date(now.getTime() - DELIVERY_LIFE_MS + HOUR));

  const readProgress = async (now: Date): Promise<HourProgressDocument> => {
    const found = await findUnique(progress, { _id: HOUR_PROGRESS });
    if (found !== undefined) return found;
    const $setOnInsert = { closedTo: firstWhole(now), revision: 0 };
    await progress.updateOne({ _id: HOUR_PROGRESS }, { $setOnInsert }, { upsert: true });
    return readProgress(now);
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
    const update = { $set: { closedTo }, $unset: { counting: '' as const } };
    await progress.updateOne({ _id: HOUR_PROGRESS, closedTo: from }, update);
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
      const { closedTo, counting } = await readProgress(now);
      known = closedTo;
      if (closedTo >= end) return false;
      const first = new Date(Math.max(+firstWhole(now), +closedTo));
      const isBegun = counting !== undefined && counting.hour >= first;
      const hour = isBegun ? counting.hour : await nextHour(first, end);
      if (hour === undefined) {
        await advance(closedTo, end);
        return false;
      }
      const ids = await nextSubscriptions(isBegun ? counting.after : '', SUBSCRIPTIONS_AT_ONCE);
      await compute(hour, ids);
      const last = ids[SUBSCRIPTIONS_AT_ONCE - 1];
      if (last === undefined) await advance(closedTo, new Date(hour.getTime() + HOUR));
      else
        await progress.updateOne(
          { _id: HOUR_PROGRESS, closedTo },
          { $set: { counting: { hour, after: last } } },
        );
      return true;
    },

    async recompute(now, limit) {
      const changed = await deliveries
        .find(isReopened, { projection: { subscriptionId: 1, reopened: 1 }, ...atMost(limit, 'reopened') })
        .toArray();
      if (changed.length === 0) return 0;
      const { closedTo } = await readProgress(now);
      const isClosed = (time: Date) => time < closedTo;
      // The mark of an hour that has ended and is not closed stays, because another process may be closing the hour
      // with data that it read before the change. The hour is computed again after it is closed.
      const isPending = (time: Date) => !isClosed(time) && time < hourOf(now);
      const first = firstWhole(now);
      const due = new Map<number, Set<string>>();
      for (const { subscriptionId, reopened = [] } of changed)
        for (const time of reopened.filter((each) => isClosed(each) && each >= first)) {
          const hour = +hourOf(time);
          due.set(hour, (due.get(hour) ?? new Set()).add(subscriptionId));
        }
      for (const [hour, ids] of due) await compute(new Date(hour), [...ids]);
      const settled = changed.flatMap(({ _id, subscriptionId, reopened = [] }) => {
        const left = reopened.filter(isPending);
        if (left.length === reopened.length) return [];
        // The mark is removed only if the delivery has not changed again in the meantime.
        const filter = { _id, subscriptionId, reopened };
        const update = left.length > 0 ? { $set: { reopened: left } } : { $unset: { reopened: '' as const } };
        return [{ updateOne: { filter, update } }];
      });
      if (settled.length > 0) await untilNoDeadlock(() => deliveries.bulkWrite(settled, { ordered: false }));
      return [...due.values()].reduce((sum, { size }) => sum + size, 0);
    },
  };
};
