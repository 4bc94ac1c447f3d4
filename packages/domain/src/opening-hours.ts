import { z } from 'zod';
import type { Issue } from './errors.ts';
import { listOf } from './list.ts';

/** The weekdays in the order of ISO 8601, which begins with Monday. */
export const weekdays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;
export type Weekday = (typeof weekdays)[number];

export const DEFAULT_CHAIRS = 1;
export const MAX_CHAIRS = 100;
export const DEFAULT_SLOT_MINUTES = 15;
export const MIN_SLOT_MINUTES = 5;
export const MAX_SLOT_MINUTES = 240;
const MAX_INTERVALS = 48;
export const MAX_EXCEPTIONS = 1000;

/** The minutes from 00:00 to a local time such as `08:30`. The result for `24:00` is 1440. */
export const minutesOf = (localTime: string): number =>
  Number(localTime.slice(0, 2)) * 60 + Number(localTime.slice(3));

const timeFrom = (form: RegExp, range: string) =>
  z
    .string({ error: `must be a local time ${range}` })
    .regex(form, { error: `must be a local time ${range}`, abort: true });

/** Local times from `opens` to `closes`. `24:00` is the end of the day. */
const interval = z
  .strictObject({
    opens: timeFrom(/^([01]\d|2[0-3]):[0-5]\d$/, 'from 00:00 to 23:59, such as 08:00').meta({
      description: 'Local time in the time zone of the clinic.',
      examples: ['08:00'],
    }),
    closes: timeFrom(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'from 00:01 to 24:00, such as 17:30').meta({
      description: 'Local time in the time zone of the clinic. `24:00` is the end of the day.',
      examples: ['17:30'],
    }),
  })
  .refine(({ opens, closes }) => minutesOf(opens) < minutesOf(closes), {
    path: ['closes'],
    error:
      'must be later than opens: split hours past midnight into one interval until 24:00 and one from 00:00',
  });
export type OpeningInterval = z.infer<typeof interval>;

const byOpening = (one: OpeningInterval, other: OpeningInterval): number =>
  minutesOf(one.opens) - minutesOf(other.opens);

const shown = ({ opens, closes }: OpeningInterval): string => `${opens}–${closes}`;

/** The intervals of one day, accepted in any order and returned in the order of time. */
const intervals = listOf(interval, MAX_INTERVALS, 'must be a list of intervals; an empty list means closed')
  .superRefine((list, context) => {
    const sorted = list.map((each, index) => ({ each, index })).sort((a, b) => byOpening(a.each, b.each));
    for (const [place, { each, index }] of sorted.entries()) {
      const before = sorted[place - 1];
      if (before === undefined || minutesOf(before.each.closes) <= minutesOf(each.opens)) continue;
      context.addIssue({
        code: 'custom',
        path: [index],
        message: `${shown(each)} overlaps ${shown(before.each)}: join the two, or change their times`,
      });
    }
  })
  .overwrite((list) => list.toSorted(byOpening));

/** A calendar day in the time zone of the clinic. */
export const localDate = z.iso.date({ error: 'must be a date that exists, such as 2030-12-24' });

const exception = z.strictObject({
  date: localDate.meta({ description: 'A day in the time zone of the clinic.', examples: ['2030-12-24'] }),
  intervals: intervals.describe('The opening hours of this day. An empty list means closed.'),
});

const exceptions = listOf(exception, MAX_EXCEPTIONS, 'must be a list of dates with their intervals', {
  hasLists: true,
})
  .superRefine((list, context) => {
    const first = new Map<string, number>();
    for (const [index, { date }] of list.entries()) {
      const earlier = first.get(date);
      if (earlier === undefined) first.set(date, index);
      else {
        context.addIssue({
          code: 'custom',
          path: [index, 'date'],
          message: `${date} is also the date of exceptions.${earlier}: keep one of the two`,
        });
      }
    }
  })
  .overwrite((list) => list.toSorted((one, other) => (one.date < other.date ? -1 : 1)));

const wholeNumber = (from: number, to: number) =>
  z
    .int({ error: `must be a whole number from ${from} to ${to}` })
    .min(from, `must be a whole number from ${from} to ${to}`)
    .max(to, `must be a whole number from ${from} to ${to}`);

const hours = z.strictObject(
  {
    weekdays: z
      .strictObject(
        Object.fromEntries(
          weekdays.map((day) => [
            day,
            intervals.default([]).meta({
              description: 'The opening hours of this weekday. An empty list means closed.',
              examples: [[{ opens: '08:00', closes: '17:30' }]],
            }),
          ]),
        ) as Record<Weekday, z.ZodDefault<typeof intervals>>,
        { error: 'must be an object with a list of intervals for each weekday' },
      )
      .describe('The opening hours of each weekday.'),
    exceptions: exceptions.default([]).meta({
      description: 'Days with other hours. An exception replaces the hours of its weekday.',
      examples: [[{ date: '2030-12-24', intervals: [] }]],
    }),
    chairs: wholeNumber(1, MAX_CHAIRS)
      .default(DEFAULT_CHAIRS)
      .meta({ description: 'The number of appointments that the clinic holds at once.', examples: [3] }),
    slotMinutes: wholeNumber(MIN_SLOT_MINUTES, MAX_SLOT_MINUTES)
      .default(DEFAULT_SLOT_MINUTES)
      .meta({ description: 'The minutes between the starts of free slots.', examples: [15] }),
  },
  {
    // Inside of another object, unknown fields are refused without their names, which could be data.
    error: ({ path = [] }) =>
      path.length === 0 ? undefined : 'must be an object with weekdays, exceptions, chairs and slotMinutes',
  },
);
/**
 * When a clinic is open: intervals for each weekday, and other intervals for single dates. An empty list means closed.
 * Times are in the time zone of the clinic. `chairs` and `slotMinutes` determine how many slots the clinic offers.
 */
export const openingHoursSchema = hours.meta({ id: 'OpeningHours', description: 'When a clinic is open.' });
export type OpeningHours = z.infer<typeof openingHoursSchema>;

/** The body of PUT /api/clinics/{clinicId}/openinghours, which replaces all hours. */
export const openingHoursUpdateSchema = hours.meta({
  id: 'OpeningHoursUpdate',
  description: 'All opening hours of a clinic.',
});

/** What to write instead of fields that opening hours do not have. */
const insteadOf: Readonly<Record<string, string>> = {
  closed: 'for a closed day, give an empty list of intervals',
  timezone: 'the time zone is a field of the clinic: change it with clinic update --timezone',
};

const toIssue = ({ code, path, message, ...rest }: z.core.$ZodIssue): Issue => {
  const at = path.map(String).join('.');
  if (code !== 'unrecognized_keys')
    return { path: at, message: at === '' ? 'must be a JSON object' : message };
  const keys = (rest as { keys?: string[] }).keys ?? [];
  const hints = keys.flatMap((key) => insteadOf[key] ?? []);
  const hint = hints.length > 0 ? hints.join('; ') : 'remove them, or correct their names';
  return { path: at, message: `has fields that do not exist here: ${keys.slice(0, 10).join(', ')}: ${hint}` };
};

/**
 * Validates opening hours.
 *
 * @param value the parsed JSON
 * @returns the hours with defaults filled in and in the order of time, or the issues
 */
export const readOpeningHours = (value: unknown): { hours: OpeningHours } | { issues: Issue[] } => {
  const parsed = openingHoursSchema.safeParse(value);
  return parsed.success ? { hours: parsed.data } : { issues: parsed.error.issues.map(toIssue) };
};
