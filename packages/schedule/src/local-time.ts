import { isTimezone } from '@chairside/domain';
import { Temporal } from 'temporal-polyfill';
import { dayAfter } from './day-range.ts';

const MINUTES_OF_DAY = 1440;
const MINUTE_MS = 60_000;
const DAY_MS = MINUTES_OF_DAY * MINUTE_MS;

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
  const { start, end } = boundsOf(timezone, day);
  if (minutes === 0) return start;
  if (minutes === MINUTES_OF_DAY) return end;
  // The clocks do not change on a day of 24 hours: no zone has changed them there and back on one day.
  return end - start === DAY_MS ? start + minutes * MINUTE_MS : calculateMoment(timezone, day, minutes);
};

/** The beginning of a day, and that of the next one. */
type Bounds = { start: number; end: number };

/** A cache for {@link momentOf}. Searches need the same days again and again. */
const bounds = new Map<string, Bounds>();
/** Maximum number of cached days. Each uses a few hundred bytes. */
const MAX_BOUNDS = 10_000;

const boundsOf = (timezone: string, day: string): Bounds => {
  const key = `${timezone} ${day}`;
  const known = bounds.get(key);
  if (known !== undefined) return known;
  const found = {
    start: calculateMoment(timezone, day, 0),
    end: calculateMoment(timezone, dayAfter(day), 0),
  };
  if (bounds.size >= MAX_BOUNDS) bounds.clear();
  bounds.set(key, found);
  return found;
};

const calculateMoment = (timezone: string, day: string, minutes: number): number => {
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

/** A period without a clock change, and the UTC offset in this period. */
type OffsetSpan = { from: number; to: number; milliseconds: number; shown: string };

/** The lengths of `+01:00` and of `.000Z`. */
const OFFSET_LENGTH = 6;
const ZULU_LENGTH = 5;

/**
 * The day (UTC) around a moment, or the part of it that lies on the same side of a clock change. The clock changes before
 * and after are not looked up, because that takes a tenth of a second for some zones.
 */
const offsetSpanAt = (timezone: string, moment: number): OffsetSpan => {
  const at = (time: number) => Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(timezone);
  const there = at(moment);
  const isSame = (time: number): boolean => at(time).offsetNanoseconds === there.offsetNanoseconds;
  let from = Math.floor(moment / DAY_MS) * DAY_MS;
  let to = from + DAY_MS;
  while (to - from > 1 && !(isSame(from) && isSame(to - 1))) {
    const middle = Math.floor((from + to) / 2);
    if (moment < middle) to = middle;
    else from = middle;
  }
  return {
    from,
    to,
    milliseconds: there.offsetNanoseconds / 1_000_000,
    shown: there.toString({ timeZoneName: 'never', smallestUnit: 'second' }).slice(-OFFSET_LENGTH),
  };
};

/** For each zone, the period of the moment that was formatted last. */
const lastSpans = new Map<string, OffsetSpan>();

/**
 * Returns a function that formats moments in local time with the UTC offset: `2030-01-31T09:30:00+01:00` (RFC 3339).
 * Moments of a day without a clock change have the same offset, so the offset is calculated once for all of them.
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
