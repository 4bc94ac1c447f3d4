import type { DeliveryStatistics } from '@chairside/domain';
import type { DeliveryDocument } from '../deliveries/deliveries.ts';
import type { Collection } from '../driver/database.ts';
import { findUnique } from '../driver/ferretdb.ts';
import { rowsOf } from '../driver/rows.ts';
import { MAX_EXAMINED } from '../driver/time-order.ts';
import { HOUR_PROGRESS, type HourProgressDocument } from './delivery-hours.ts';
import { addGroup, type CountedGroup, countStage, HOUR, isCounted, noCounts } from './hour-counts.ts';
import { type DeliveryHourDocument, hourRowId } from './hour-rows.ts';

/** Counting an hour that is not closed examines only deliveries created at most this long before the hour. */
const LOOK_BACK_MS = 24 * HOUR;

export type StatisticsFilter = {
  clinicId?: string | undefined;
  /** Any of these clinics. */
  clinicIds?: readonly string[] | undefined;
  subscriptionId?: string | undefined;
  /** Selects hours that begin at this time or later. */
  since: Date;
  /** Selects hours that begin before this time. */
  until: Date;
};

/** A row with its position in the list. */
export type StatisticsRow = { _id: string; statistics: DeliveryStatistics };

/** The statistics of one organization. */
export type Statistics = {
  /**
   * Streams at most `limit` rows, the oldest first. Closed hours are read from storage. Later hours are counted, among
   * the newest deliveries only.
   *
   * @param after the `_id` of the last row of the previous page
   */
  page(
    filter: StatisticsFilter,
    after: string | undefined,
    limit: number,
  ): AsyncGenerator<StatisticsRow, void>;
};

/** The start of the first hour that begins at this time or later. */
const nextHourOf = (time: Date): Date => new Date(Math.ceil(time.getTime() / HOUR) * HOUR);

type Counted = Omit<DeliveryHourDocument, 'revision' | 'expireAt' | 'organizationId'>;

const toRow = ({ _id, ...counted }: Counted, complete: boolean): StatisticsRow => ({
  _id,
  statistics: {
    hour: _id.slice(0, -counted.subscriptionId.length - 1),
    clinicId: counted.clinicId,
    subscriptionId: counted.subscriptionId,
    succeeded: counted.succeeded,
    failed: counted.failed,
    skipped: counted.skipped,
    interrupted: counted.interrupted,
    causes: counted.causes,
    durations: counted.durations,
    complete,
  },
});

/** @param organizationId every query of the returned repository contains this id */
export const statisticsOf = (
  hours: Collection<DeliveryHourDocument>,
  progress: Collection<HourProgressDocument>,
  deliveries: Collection<DeliveryDocument>,
  organizationId: string,
): Statistics => {
  const own = ({ clinicId, clinicIds, subscriptionId }: StatisticsFilter) => ({
    organizationId,
    ...(clinicIds && { clinicId: { $in: [...clinicIds] } }),
    ...(clinicId !== undefined && { clinicId }),
    ...(subscriptionId !== undefined && { subscriptionId }),
  });

  /** Reads the closed hours of a period. Rows whose deliveries have all moved to other hours are omitted. */
  const closed = (filter: StatisticsFilter, to: Date, after: string | undefined, limit: number) => {
    const _id = {
      $gte: filter.since.toISOString(),
      ...(after !== undefined && { $gt: after }),
      $lt: to.toISOString(),
    };
    const isEmpty = { succeeded: 0, failed: 0, skipped: 0, interrupted: 0 };
    const found = hours.find({ ...own(filter), _id, $nor: [isEmpty] }, { sort: { _id: 1 }, limit });
    return rowsOf(found, (document) => toRow(document, true));
  };

  /** Counts the deliveries that became final in a period of whole hours, among the newest deliveries. */
  const open = async (filter: StatisticsFilter, from: Date, to: Date): Promise<StatisticsRow[]> => {
    const { organizationId: organization, subscriptionId, ...rest } = own(filter);
    const groups = deliveries.aggregate<CountedGroup>([
      {
        $match: {
          organizationId: organization,
          ...(subscriptionId !== undefined && { subscriptionId }),
          createdTime: { $gte: new Date(from.getTime() - LOOK_BACK_MS), $lt: to },
        },
      },
      { $sort: { createdTime: -1, _id: -1 } },
      { $limit: MAX_EXAMINED },
      { $match: { ...rest, ...isCounted, finalTime: { $gte: from, $lt: to } } },
      countStage,
    ]);
    const rows = new Map<string, Counted>();
    for await (const group of groups) {
      const { hour, subscriptionId } = group._id;
      const _id = hourRowId(hour, subscriptionId);
      const row = rows.get(_id) ?? { _id, clinicId: group.clinicId, subscriptionId, ...noCounts() };
      addGroup(row, group);
      rows.set(_id, row);
    }
    return [...rows.values()]
      .toSorted((one, other) => (one._id < other._id ? -1 : 1))
      .map((row) => toRow(row, false));
  };

  return {
    async *page(filter, after, limit) {
      const [begin, end] = [nextHourOf(filter.since), nextHourOf(filter.until)];
      const state = await findUnique(progress, { _id: HOUR_PROGRESS }, { closedTo: 1 });
      const closedTo = state?.closedTo ?? begin;
      const [closedEnd, openBegin] = [Math.min(+closedTo, +end), Math.max(+closedTo, +begin)];
      let left = limit;
      for await (const row of closed(filter, new Date(closedEnd), after, limit)) {
        yield row;
        left--;
      }
      if (left === 0 || closedTo >= end) return;
      const rows = await open(filter, new Date(openBegin), end);
      yield* rows.filter(({ _id }) => after === undefined || _id > after).slice(0, left);
    },
  };
};
