import { isTimezone } from '@chairside/domain';
import { Temporal } from 'temporal-polyfill';
import { dayAfter } from './day-range.ts';

const MINUTES_OF_DAY = 1440;

/** Whether this is a time zone with which the functions of this package can calculate. */
export const isKnownZone = (timezone: string | undefined): timezone is string =>
  timezone !== undefined && isTimezone(timezone);

/**
 * The first moment at which the clocks of a zone show this time of this day, or a later one. So a time that the clocks
 * skip is the moment of the change, a time that they show twice is the first of the two, and of two times the later one
 * never comes before the earlier one.
 *
 * @param day a day of the calendar, as `2030-01-31`
 * @param minutes from 0 to 1440, which is the beginning of the next day
 * @returns milliseconds since 1970
 */
export const momentOf = (timezone: string, day: string, minutes: number): number => {
  if (minutes === MINUTES_OF_DAY) return momentOf(timezone, dayAfter(day), 0);
  const local = Temporal.PlainDate.from(day).toPlainDateTime({
    hour: Math.floor(minutes / 60),
    minute: minutes % 60,
  });
  const moment = local.toZonedDateTime(timezone, { disambiguation: 'earlier' });
  if (moment.toPlainDateTime().equals(local)) return moment.epochMilliseconds;
  // The clocks skip this time. `moment` is before the change, by at most the length of the skipped time.
  return (moment.getTimeZoneTransition('next') ?? moment).epochMilliseconds;
};

/**
 * A moment as the clocks of a zone show it, with their distance to UTC: `2030-01-31T09:30:00+01:00` (RFC 3339).
 *
 * @throws {RangeError} if the time zone is not known
 */
export const localTime = (timezone: string, moment: Date): string =>
  Temporal.Instant.fromEpochMilliseconds(moment.getTime())
    .toZonedDateTimeISO(timezone)
    .toString({ timeZoneName: 'never', smallestUnit: 'second' });
