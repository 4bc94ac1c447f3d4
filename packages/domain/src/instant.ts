import { z } from 'zod';

const inRange = (value: string) => {
  const time = Date.parse(value);
  return time >= Date.parse('0000-01-01T00:00:00Z') && time <= Date.parse('9999-12-31T23:59:59.999Z');
};

const EXAMPLE = '2030-01-31T09:30:00Z';
const OFFSET = String.raw`(?:Z|[+-]\d\d(?::?\d\d)?)`;
const DAY = String.raw`\d{4}-\d\d-\d\d`;

/** What is wrong with texts that are almost a valid instant. The first form that matches counts. */
const NEARLY: readonly [form: RegExp, problem: string][] = (
  [
    // In the query of a URL, + is decoded as a space (URL Standard, 5.1).
    [
      String.raw`${DAY}T[\d:.]+ \d\d(:?\d\d)?`,
      'has a space before its offset: in a URL, write + as %2B, or use UTC with Z',
    ],
    [String.raw`\s.*|.*\s`, 'must not have white space before or after it'],
    [`${DAY}${OFFSET}?`, `has no time: write for example ${EXAMPLE}`],
    [String.raw`${DAY}[ _]\d\d:?\d\d.*`, `must have a T between date and time, such as ${EXAMPLE}`],
    [String.raw`${DAY}T\d\d(:\d\d)?${OFFSET}?`, `must have seconds, such as ${EXAMPLE}`],
    [
      String.raw`${DAY}T\d\d:\d\d:\d\d,\d+.*`,
      'must have a point, not a comma, before the fraction of a second',
    ],
    [
      String.raw`${DAY}T\d\d:\d\d:\d\d(\.\d+)?`,
      'has no time zone: end it with Z or an offset, such as +02:00',
    ],
    [String.raw`${DAY}T.*\[.*\]`, 'must not have the name of a time zone: leave out the brackets'],
    [
      String.raw`${DAY}T[\d:.]+ ?(UTC|GMT|[A-Z]{3,4})`,
      'must end with Z or an offset, not with the name of a zone',
    ],
    [String.raw`${DAY}T.*\u2212.*`, 'has a minus sign (U+2212) before its offset: write a hyphen'],
    [`${DAY}T.*:60.*`, 'must have seconds from 00 to 59: leap seconds are not accepted'],
    [`${DAY}T24:.*`, 'must have hours from 00 to 23: write midnight as 00:00:00 of the next day'],
    [
      String.raw`${DAY}T\d\d:\d\d:\d\d(\.\d+)?${OFFSET}`,
      'has a day, a time or an offset that does not exist',
    ],
    [String.raw`\d{8}(T.*)?`, `must have hyphens and colons, such as ${EXAMPLE}`],
    [String.raw`-?\d+(\.\d+)?`, `must be a text such as ${EXAMPLE}, not a number of seconds`],
  ] as const
).map(([form, problem]) => [new RegExp(`^(?:${form})$`, 'is'), problem]);

const problemOf = (value: unknown): string => {
  if (typeof value === 'number') return `must be a text such as ${EXAMPLE}, not a number of seconds`;
  return (
    NEARLY.find(([form]) => typeof value === 'string' && form.test(value))?.[1] ??
    `must be an ISO 8601 instant with Z or an offset, such as ${EXAMPLE}`
  );
};

/** ISO 8601 has more forms of the offset than RFC 3339, and strftime, PHP, Ruby and Java write them. */
const OTHER_FORM = /^([\d-]+)t([\d:.]+)(?:(z)|([+-]\d\d)(?::?(\d\d))?)$/i;
const toRfc3339 = (value: string): string =>
  value.replace(
    OTHER_FORM,
    (_all, date: string, time: string, zulu?: string, hours?: string, minutes?: string) =>
      `${date}T${time}${zulu === undefined ? `${hours}:${minutes ?? '00'}` : 'Z'}`,
  );

const error = ({ input }: { input?: unknown }): string => problemOf(input);

/**
 * An ISO 8601 instant with `Z` or an offset, returned in UTC with milliseconds. The offset is `+02:00`, `+0200` or `+02`;
 * `T` and `Z` may be lower-case letters. A date without a time, a time without a zone, a day that does not exist and a
 * leap second are refused.
 */
export const instant = z
  .string({ error })
  .overwrite(toRfc3339)
  .meta({ format: 'date-time' })
  .pipe(
    z.iso
      .datetime({ offset: true, abort: true, error })
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
