import { isKnownZone } from './zone.ts';

/** A day of the calendar, without a zone: `2030-01-31`. */
export type Day = string;

export const DAY_MS = 24 * 60 * 60_000;
const FORM = /^\d{4}-\d\d-\d\d$/;

/** Whether a text is a day of the calendar. */
export const isDay = (text: string | undefined): text is Day =>
  text !== undefined && FORM.test(text) && new Date(`${text}T00:00Z`).toJSON()?.startsWith(text) === true;

/** The day a number of days later. */
export const dayAfter = (day: Day, count: number): Day =>
  new Date(Date.parse(`${day}T00:00Z`) + count * DAY_MS).toISOString().slice(0, 10);

const CLOCK: Intl.DateTimeFormatOptions = {
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
};

const clocks = new Map<string | undefined, Intl.DateTimeFormat>();

/** The format is in English, because other languages have other calendars and digits. */
const clockFormat = (timeZone: string | undefined): Intl.DateTimeFormat => {
  const known = clocks.get(timeZone);
  if (known !== undefined) return known;
  const zone = timeZone !== undefined && isKnownZone(timeZone) ? { timeZone } : {};
  const format = new Intl.DateTimeFormat('en-CA', { ...CLOCK, ...zone });
  clocks.set(timeZone, format);
  return format;
};

/**
 * The clock of a zone at a time, as if it were UTC; in milliseconds.
 *
 * @param timeZone undefined for the reader's zone, which also stands in for a zone that the browser does not know
 */
export const clockOf = (time: number, timeZone: string | undefined): number => {
  const parts = Object.fromEntries(
    clockFormat(timeZone)
      .formatToParts(time)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
};

/** The day on which a time falls in a zone. @param timeZone undefined for the reader's zone */
export const dayOf = (time: number, timeZone: string | undefined): Day =>
  new Date(clockOf(time, timeZone)).toISOString().slice(0, 10);

/**
 * The beginning of a day in a zone, in milliseconds since the epoch. On a day whose first hour is skipped, it is the
 * first moment after the gap.
 */
export const startOf = (day: Day, timeZone: string | undefined): number => {
  const midnight = Date.parse(`${day}T00:00Z`);
  // The offset at the result may differ from the offset at the first guess, next to a change of the clocks.
  const guess = midnight - (clockOf(midnight, timeZone) - midnight);
  const second = midnight - (clockOf(guess, timeZone) - guess);
  return dayOf(second, timeZone) === day ? second : Math.max(guess, second);
};
