import { LANGUAGE } from '../../language.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const UNITS = [
  { unit: 'hour', length: HOUR },
  { unit: 'minute', length: MINUTE },
  { unit: 'second', length: SECOND },
] as const;

const isSameYear = (one: Date, other: Date): boolean => one.getFullYear() === other.getFullYear();
const relative = new Intl.RelativeTimeFormat(LANGUAGE, { style: 'short', numeric: 'auto' });
const weekday = new Intl.DateTimeFormat(LANGUAGE, { weekday: 'short', hour: '2-digit', minute: '2-digit' });
const date = new Intl.DateTimeFormat(LANGUAGE, { day: 'numeric', month: 'short' });
const dateWithYear = new Intl.DateTimeFormat(LANGUAGE, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
});

/**
 * A time in words: less than 24 hours away as a distance such as `12 min ago`, less than six days away as a weekday,
 * and otherwise as a date.
 *
 * @param time in milliseconds since the epoch
 * @param now in milliseconds since the epoch. It may be up to ten seconds old
 */
export const relativeText = (time: number, now: number): string => {
  const distance = time - now;
  const length = Math.abs(distance);
  // The time may lie after an old `now`, although it is past.
  if (length < 10 * SECOND) return relative.format(0, 'second');
  if (length < DAY) {
    const { unit, length: step } = UNITS.find((each) => length >= each.length) ?? UNITS[2];
    return relative.format(Math.trunc(distance / step), unit);
  }
  if (length < 6 * DAY) return weekday.format(time);
  return isSameYear(new Date(time), new Date(now)) ? date.format(time) : dateWithYear.format(time);
};
