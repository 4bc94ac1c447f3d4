import { z } from 'zod';

const inRange = (value: string) => {
  const time = Date.parse(value);
  return time >= Date.parse('0000-01-01T00:00:00Z') && time <= Date.parse('9999-12-31T23:59:59.999Z');
};

/** Specific messages for texts that are almost a valid instant. */
const NEARLY: readonly [form: RegExp, problem: string][] = [
  // In the query of a URL, + is decoded as a space (URL Standard, 5.1).
  [
    /^\d{4}-\d\d-\d\dT[\d:.]+ \d\d:\d\d$/,
    'has a space before its offset: in a URL, write + as %2B, or use UTC with Z',
  ],
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d(Z|[+-]\d\d:\d\d)$/, 'must have seconds, such as 2030-01-31T09:30:00Z'],
];

const problemOf = (text: unknown): string =>
  NEARLY.find(([form]) => typeof text === 'string' && form.test(text))?.[1] ??
  'must be an ISO 8601 instant with Z or an offset, such as 2030-01-31T09:30:00Z';

const dateTime = z.iso.datetime({ offset: true, error: ({ input }) => problemOf(input) });

/**
 * An ISO 8601 instant (RFC 3339) with `Z` or an offset, returned in UTC with milliseconds. A date without a time, a
 * time without a zone, a day that does not exist and a leap second are refused.
 */
export const instant = dateTime.pipe(
  dateTime
    .refine(inRange, { abort: true, error: 'must lie between the years 0000 and 9999 in UTC' })
    .overwrite((value) => new Date(value).toISOString()),
);

/**
 * The `lastEditTime` of the next version of a record: now, but always later than the previous version, so that
 * receivers can order the versions.
 *
 * @param now the current time
 * @param previous the time of the previous version, ISO 8601, if there is one
 * @returns ISO 8601 in UTC with milliseconds
 */
export const nextEditTime = (now: Date, previous?: string): string =>
  new Date(previous === undefined ? now : Math.max(now.getTime(), Date.parse(previous) + 1)).toISOString();
