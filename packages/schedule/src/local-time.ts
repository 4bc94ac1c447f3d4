import { isTimezone } from '@chairside/domain';
import { Temporal } from 'temporal-polyfill';
import { dayAfter } from './day-range.ts';

const MINUTES_OF_DAY = 1440;

/** A cache of known time zones, because checking a name takes a quarter of a millisecond. */
const knownZones = new Set<string>();
/** There are fewer zone names than this. The limit matters only if names are spelled in different cases. */
const MAX_KNOWN_ZONES = 1000;

/** Whether the functions of this package can calculate with this time zone. */
export const isKnownZone = (timezone: string | undefined): timezone is string => {
  if (timezone === undefined) return false;
  if (knownZones.has(timezone)) return true;
  if (!isTimezone(timezone)) return false;
  if (knownZones.size < MAX_KNOWN_ZONES) knownZones.add(timezone);
  return true;
};

/**
 * The first moment at which the clocks of a zone show this time of this day, or a later time. A time that the clocks
 * skip becomes the moment of the clock change. A time that the clocks show twice becomes the first of the two moments.
 * So a later local time never becomes an earlier moment.
 *
 * @param day a calendar day, such as `2030-01-31`
 * @param minutes from 0 to 1440, which is the beginning of the next day
 * @returns milliseconds since 1970
 */
export const momentOf = (timezone: string, day: string, minutes: number): number => {
  const key = `${timezone} ${day} ${minutes}`;
  const known = moments.get(key);
  if (known !== undefined) return known;
  const moment = calculateMoment(timezone, day, minutes);
  if (moments.size >= MAX_MOMENTS) moments.clear();
  moments.set(key, moment);
  return moment;
};

/** A cache for {@link momentOf}. Searches need the moments of the same days again and again. */
const moments = new Map<string, number>();
/** Maximum number of cached moments. Each uses a few hundred bytes. */
const MAX_MOMENTS = 10_000;

const calculateMoment = (timezone: string, day: string, minutes: number): number => {
  if (minutes === MINUTES_OF_DAY) return momentOf(timezone, dayAfter(day), 0);
  const local = Temporal.PlainDate.from(day).toPlainDateTime({
    hour: Math.floor(minutes / 60),
    minute: minutes % 60,
  });
  const moment = local.toZonedDateTime(timezone, { disambiguation: 'earlier' });
  if (moment.toPlainDateTime().equals(local)) return moment.epochMilliseconds;
  // The clocks skip this time. `moment` is before the clock change, by at most the length of the skipped time.
  return (moment.getTimeZoneTransition('next') ?? moment).epochMilliseconds;
};

/** The calendar day that the clocks of a zone show at a moment. */
export const localDayOf = (timezone: string, moment: Date): string =>
  Temporal.Instant.fromEpochMilliseconds(moment.getTime())
    .toZonedDateTimeISO(timezone)
    .toPlainDate()
    .toString();

/** The period between two clock changes, and the UTC offset in this period. */
type OffsetSpan = { from: number; to: number; milliseconds: number; shown: string };

/** The lengths of `+01:00` and of `.000Z`. */
const OFFSET_LENGTH = 6;
const ZULU_LENGTH = 5;

const offsetSpanAt = (timezone: string, moment: number): OffsetSpan => {
  const there = Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(timezone);
  // `getTimeZoneTransition('previous')` returns only a change before its moment. One millisecond is added, because a
  // clock change at the moment itself begins the period.
  const justAfter = there.add({ milliseconds: 1 });
  return {
    from: justAfter.getTimeZoneTransition('previous')?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
    to: there.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
    milliseconds: there.offsetNanoseconds / 1_000_000,
    shown: there.toString({ timeZoneName: 'never', smallestUnit: 'second' }).slice(-OFFSET_LENGTH),
  };
};

/** For each zone, the period of the moment that was formatted last. */
const lastSpans = new Map<string, OffsetSpan>();

/**
 * Returns a function that formats moments in local time with the UTC offset: `2030-01-31T09:30:00+01:00` (RFC 3339).
 * Moments between two clock changes have the same offset, so the offset is calculated once for all of them.
 *
 * @throws {RangeError} if the time zone is not known
 */
export const localTimeIn = (timezone: string): ((moment: Date) => string) => {
  if (!isKnownZone(timezone)) throw new RangeError('the time zone is not known');
  let span = lastSpans.get(timezone);
  return (moment) => {
    const time = moment.getTime();
    if (span === undefined || time < span.from || time >= span.to) {
      span = offsetSpanAt(timezone, time);
      if (lastSpans.size < MAX_KNOWN_ZONES) lastSpans.set(timezone, span);
    }
    return new Date(time + span.milliseconds).toISOString().slice(0, -ZULU_LENGTH) + span.shown;
  };
};
