import { localDate } from '@chairside/domain';
import { Temporal } from 'temporal-polyfill';

/** A range of calendar days in the time zone of a clinic, such as `2030-01-31`. Both ends are included. */
export type DayRange = { from: string; to: string };

/** Maximum number of days in one search for free slots. */
export const MAX_SLOT_DAYS = 31;
/** Maximum number of days for which appointments are counted. */
export const MAX_COUNT_DAYS = 92;

/** The last day of a range. What begins on it ends in a year of four digits, which RFC 3339 requires. */
const LAST_DAY = '9999-12-30';
const isAfterLast = (day: string): boolean => day.length > LAST_DAY.length || day > LAST_DAY;

/** The calendar day that is `days` days later. */
export const dayAfter = (day: string, days = 1): string =>
  Temporal.PlainDate.from(day).add({ days }).toString();

const lengthOf = ({ from, to }: DayRange): number => Temporal.PlainDate.from(from).until(to).days + 1;

/**
 * Checks a range of days.
 *
 * @param maxDays the maximum length of the range, in days
 * @returns what is wrong with the range and what to do; undefined if the range is valid
 */
export const dayRangeProblem = ({ from, to }: DayRange, maxDays: number): string | undefined => {
  for (const [name, date] of Object.entries({ from, to })) {
    if (!localDate.safeParse(date).success) return `${name} must be a date that exists, such as 2030-01-31`;
  }
  if (isAfterLast(to)) return `to must not be after ${LAST_DAY}`;
  const length = lengthOf({ from, to });
  if (length < 1) return 'to must not be before from';
  return length > maxDays
    ? `from and to must span at most ${maxDays} days: ask for several ranges`
    : undefined;
};

/** The first days from this one on, as far as a range may reach; undefined if it may not contain this one. */
export const rangeFrom = (from: string, days: number): DayRange | undefined => {
  if (isAfterLast(from)) return undefined;
  const to = dayAfter(from, days - 1);
  return { from, to: isAfterLast(to) ? LAST_DAY : to };
};

/**
 * The days of a range.
 *
 * @throws {RangeError} if the range is not valid; {@link dayRangeProblem} describes why
 */
export const daysOf = (range: DayRange, maxDays: number): string[] => {
  const problem = dayRangeProblem(range, maxDays);
  if (problem !== undefined) throw new RangeError(problem);
  return Array.from({ length: lengthOf(range) }, (_, index) => dayAfter(range.from, index));
};
