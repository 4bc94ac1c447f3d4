import { minutesOf, type OpeningHours, type OpeningInterval, type Span, weekdays } from '@chairside/domain';
import { Temporal } from 'temporal-polyfill';
import { type DayRange, daysOf } from './day-range.ts';
import { momentOf } from './local-time.ts';

/** Maximum number of days in one query for opening hours. */
export const MAX_OPENING_DAYS = 92;

/** The opening intervals of one day. An empty list means closed. */
export type OpeningDay = { date: string; intervals: { start: Date; end: Date }[] };

/** The intervals of a day in local time: those of the exception for this day, otherwise those of its weekday. */
const intervalsOf = ({ weekdays: regular, exceptions }: OpeningHours, day: string): OpeningInterval[] => {
  const exception = exceptions.find(({ date }) => date === day);
  if (exception !== undefined) return exception.intervals;
  const weekday = weekdays[Temporal.PlainDate.from(day).dayOfWeek - 1];
  return weekday === undefined ? [] : regular[weekday];
};

/** The opening intervals of a day in the order of time. An interval that the clocks skip entirely is omitted. */
export const openingSpans = (hours: OpeningHours, timezone: string, day: string): Span[] =>
  intervalsOf(hours, day)
    .map(({ opens, closes }) => ({
      start: momentOf(timezone, day, minutesOf(opens)),
      end: momentOf(timezone, day, minutesOf(closes)),
    }))
    .filter(({ start, end }) => end > start);

/**
 * The opening hours of each day of a range. Calendar blocks are not subtracted.
 *
 * @param place the opening hours of a clinic and its IANA time zone
 * @param range at most {@link MAX_OPENING_DAYS} days
 * @throws {RangeError} if the range is not valid or the time zone is not known
 */
export const openingHoursOf = (
  { hours, timezone }: { hours: OpeningHours; timezone: string },
  range: DayRange,
): OpeningDay[] =>
  daysOf(range, MAX_OPENING_DAYS).map((date) => ({
    date,
    intervals: openingSpans(hours, timezone, date).map(({ start, end }) => ({
      start: new Date(start),
      end: new Date(end),
    })),
  }));
