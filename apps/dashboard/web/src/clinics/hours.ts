import type { OpeningHours, SetOpeningHours } from '@chairside/client';
import { DAY_MS, type Day } from './days.ts';

export type Weekday = keyof OpeningHours['weekdays'];

/** The weekdays of the API, from Monday on. */
export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const satisfies readonly Weekday[];

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
