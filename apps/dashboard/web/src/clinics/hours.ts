import type { OpeningHours, SetOpeningHours } from '@chairside/client';
import { momentOf } from './clock.ts';
import { DAY_MS, type Day } from './days.ts';
import type { Span } from './spans.ts';

export type Weekday = keyof OpeningHours['weekdays'];

/** The weekdays in words, from Monday on. The type has those of the API. */
const DAYS: Readonly<Record<Weekday, string>> = {
  monday: 'Monday',
  tuesday: 'Tuesday',
  wednesday: 'Wednesday',
  thursday: 'Thursday',
  friday: 'Friday',
  saturday: 'Saturday',
  sunday: 'Sunday',
};

export const WEEKDAYS = Object.keys(DAYS) as readonly Weekday[];

/** A weekday in words. */
export const dayName = (day: Weekday): string => DAYS[day];

/** A weekday in three letters. */
export const shortDayName = (day: Weekday): string => dayName(day).slice(0, 3);

/** The number of days since the last Monday. */
export const weekdayOf = (day: Day): number =>
  // 1970-01-05 was a Monday.
  (((Math.floor(Date.parse(`${day}T00:00Z`) / DAY_MS) + 3) % 7) + 7) % 7;

/** The hours of a date: those of its exception, otherwise those of its weekday. */
export const hoursOn = (
  { weekdays, exceptions = [] }: SetOpeningHours,
  day: Day,
): OpeningHours['exceptions'][number]['intervals'] => {
  const exception = exceptions.find(({ date }) => date === day);
  return exception?.intervals ?? weekdays[WEEKDAYS[weekdayOf(day)] ?? 'monday'] ?? [];
};

/** The opening hours of a date in a zone, in the order of time. An interval that the clocks skip is left out. */
export const openingsOn = (hours: SetOpeningHours, day: Day, timeZone: string | undefined): Span[] =>
  hoursOn(hours, day)
    .map(({ opens, closes }) => ({
      start: momentOf(`${day}T${opens}`, timeZone).time,
      end: momentOf(`${day}T${closes}`, timeZone).time,
    }))
    .filter(({ start, end }) => start < end);
