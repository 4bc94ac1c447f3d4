import { type Appointment, appointmentStatuses, type BusyInterval } from '@chairside/domain';
import { type DayRange, dayAfter, daysOf, MAX_COUNT_DAYS } from './day-range.ts';
import { momentOf } from './local-time.ts';

/** The number of appointments that begin on one day. */
export type DayCount = { date: string; total: number; byStatus: Record<Appointment['status'], number> };

const noneOf = (date: string): DayCount => ({
  date,
  total: 0,
  byStatus: Object.fromEntries(appointmentStatuses.map((status) => [status, 0])) as DayCount['byStatus'],
});

/** The index of the last value that is not greater than `limit`; -1 if there is none. `ascending` must be sorted. */
const lastUpTo = (ascending: readonly number[], limit: number): number => {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};

/**
 * The start and the end of the period in which the appointments of a range begin.
 *
 * @param range at most {@link MAX_COUNT_DAYS} days
 * @throws {RangeError} if the range is not valid or the time zone is not known
 */
export const countWindow = (timezone: string, range: DayRange): { from: Date; to: Date } => {
  daysOf(range, MAX_COUNT_DAYS);
  return {
    from: new Date(momentOf(timezone, range.from, 0)),
    to: new Date(momentOf(timezone, dayAfter(range.to), 0)),
  };
};

/** The fields of an appointment that counting needs. */
type Counted = Pick<BusyInterval, 'startTime' | 'status'>;

/**
 * Counts the appointments of each day, including days without appointments. An appointment belongs to the day on which
 * it begins. A day begins at the first moment at which the clocks of the zone show its date.
 *
 * @param range at most {@link MAX_COUNT_DAYS} days
 * @returns `add` counts an appointment and ignores one that begins outside the range; appointments may be added in any
 *   order, while they are read. `days` has the counts so far
 * @throws {RangeError} if the range is not valid or the time zone is not known
 */
export const openDayCounts = (
  timezone: string,
  range: DayRange,
): { add(appointment: Counted): void; days: readonly DayCount[] } => {
  const days = daysOf(range, MAX_COUNT_DAYS).map(noneOf);
  const starts = days.map(({ date }) => momentOf(timezone, date, 0));
  const end = momentOf(timezone, dayAfter(range.to), 0);
  return {
    add({ startTime, status }) {
      const moment = startTime.getTime();
      const day = moment < end ? days[lastUpTo(starts, moment)] : undefined;
      if (day === undefined) return;
      day.total++;
      day.byStatus[status]++;
    },
    days,
  };
};

/** Counts appointments that are already in memory; see {@link openDayCounts}. */
export const countByDay = (
  timezone: string,
  range: DayRange,
  appointments: Iterable<Counted>,
): readonly DayCount[] => {
  const counts = openDayCounts(timezone, range);
  for (const each of appointments) counts.add(each);
  return counts.days;
};
