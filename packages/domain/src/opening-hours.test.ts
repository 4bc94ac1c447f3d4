import { expect, test } from 'vitest';
import { readOpeningHours } from './opening-hours.ts';

const issuesOf = (value: unknown): string[] => {
  const read = readOpeningHours(value);
  return 'issues' in read ? read.issues.map(({ path, message }) => `${path} ${message}`) : [];
};
const day = (opens: string, closes: string) => [{ opens, closes }];

test('fills in the defaults of opening hours and sorts them by time', () => {
  const [closed, open] = [[], day('08:00', '24:00')];
  expect(
    readOpeningHours({
      weekdays: { monday: [...day('13:00', '17:00'), ...day('08:00', '13:00')] },
      exceptions: [
        { date: '2030-12-31', intervals: open },
        { date: '2028-02-29', intervals: closed },
      ],
    }),
  ).toEqual({
    hours: {
      weekdays: {
        monday: [...day('08:00', '13:00'), ...day('13:00', '17:00')],
        ...{ tuesday: [], wednesday: [], thursday: [], friday: [], saturday: [], sunday: [] },
      },
      exceptions: [
        { date: '2028-02-29', intervals: closed },
        { date: '2030-12-31', intervals: open },
      ],
      chairs: 1,
      slotMinutes: 15,
    },
  });
});

test('reports each problem of opening hours with its path and what to do', () => {
  const wrong = {
    weekdays: {
      monday: [...day('08:00', '12:00'), ...day('11:59', '13:00')],
      tuesday: day('08:00', '25:00'),
      wednesday: day('8:00', '12:00'),
      thursday: day('22:00', '02:00'),
      friday: 'closed',
      mondai: [],
    },
    exceptions: [{ date: '2030-02-30', closed: true }],
    timezone: 'Mars/Olympus',
    chairs: 0,
    slotMinutes: 7.5,
  };
  expect(issuesOf(wrong).toSorted()).toEqual(
    [
      'weekdays.monday.1 11:59–13:00 overlaps 08:00–12:00: join the two, or change their times',
      'weekdays.tuesday.0.closes must be a local time from 00:01 to 24:00, such as 17:30',
      'weekdays.wednesday.0.opens must be a local time from 00:00 to 23:59, such as 08:00',
      'weekdays.thursday.0.closes must be later than opens: split hours past midnight into one interval until 24:00 and one from 00:00',
      'weekdays.friday must be a list of intervals; an empty list means closed',
      'weekdays has fields that do not exist here: mondai: remove them, or correct their names',
      'exceptions.0.date must be a date that exists, such as 2030-12-24',
      'exceptions.0.intervals must be a list of intervals; an empty list means closed',
      'exceptions.0 has fields that do not exist here: closed: for a closed day, give an empty list of intervals',
      'chairs must be a whole number from 1 to 100',
      'slotMinutes must be a whole number from 5 to 240',
      ' has fields that do not exist here: timezone: the time zone is a field of the clinic: change it with clinic update --timezone',
    ].toSorted(),
  );
  const date = '2030-12-24';
  expect(
    issuesOf({
      weekdays: {},
      exceptions: [
        { date, intervals: [] },
        { date, intervals: day('08:00', '12:00') },
      ],
    }),
  ).toEqual([`exceptions.1.date ${date} is also the date of exceptions.0: keep one of the two`]);
  expect(issuesOf({ weekdays: { monday: [{ opens: 5, closes: null }] } })).toHaveLength(2);
  expect(issuesOf({ weekdays: { monday: Array(49).fill({}) } })).toEqual([
    'weekdays.monday must have at most 48 entries',
  ]);
  expect([issuesOf([]), issuesOf('08:00'), issuesOf({})]).toEqual([
    [' must be a JSON object'],
    [' must be a JSON object'],
    ['weekdays must be an object with a list of intervals for each weekday'],
  ]);
});

test('stops validating exceptions when one response lists no more issues', () => {
  const exceptions = Array.from({ length: 1000 }, () => ({
    date: '2030-12-24',
    intervals: Array(48).fill({}),
  }));
  const issues = issuesOf({ weekdays: {}, exceptions });
  expect(issues.length).toBeLessThan(2 * 100);
  expect(issues[0]).toBe(
    'exceptions.0.intervals.0.opens must be a local time from 00:00 to 23:59, such as 08:00',
  );
  const [few] = exceptions;
  expect(issuesOf({ weekdays: {}, exceptions: [few], chairs: 0 })).toHaveLength(2 * 48 + 1);
});
