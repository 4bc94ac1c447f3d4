import type { OpeningHours } from '@chairside/client';
import { expect, test } from 'vitest';
import {
  differences,
  draftOf,
  hoursOf,
  isUsable,
  readTime,
  rebased,
  timeProblems,
  typed,
  withExceptions,
} from './hours.ts';

test('reads the times that people write', () => {
  expect(['8', '08', '8:30', '8.30', '0830', ' 17:05 ', '24', '24:00', '0'].map(readTime)).toEqual([
    ...['08:00', '08:00', '08:30', '08:30', '08:30', '17:05', '24:00', '24:00', '00:00'],
  ]);
  expect(['', '25', '24:01', '8:60', '8:3', 'noon', '-1', '83'].map(readTime)).toEqual(
    Array.from({ length: 8 }, () => undefined),
  );
});

test('names the time that is wrong', () => {
  const problems = (opens: string, closes: string, ...others: [string, string][]) =>
    timeProblems(
      typed({ opens, closes }),
      others.map(([from, to]) => typed({ opens: from, closes: to })),
    );
  expect(problems('8', '12', ['12', '13'])).toEqual({});
  expect(problems('', '12')).toHaveProperty('opens');
  expect(problems('24', '24')).toHaveProperty('opens');
  expect(problems('8', 'x')).toHaveProperty('closes');
  expect(problems('22', '6').closes).toContain('next day');
  expect(problems('8', '12', ['11:30', '13']).opens).toBe('This overlaps 11:30–13:00.');
});

test('a draft becomes the same hours, in the order of time', () => {
  const draft = draftOf();
  draft.weekdays.monday = [typed({ opens: '13', closes: '17' }), typed({ opens: '8', closes: '12' })];
  expect(isUsable(draft)).toBe(true);
  expect(hoursOf(draft)).toMatchObject({
    weekdays: {
      monday: [
        { opens: '08:00', closes: '12:00' },
        { opens: '13:00', closes: '17:00' },
      ],
      sunday: [],
    },
    chairs: 1,
    slotMinutes: 15,
  });
  expect(isUsable({ ...draft, chairs: '0' })).toBe(false);
});

test('two versions are compared by the lines in which they differ', () => {
  const base = hoursOf(draftOf());
  const closed = { date: '2027-12-24', intervals: [] };
  const mine = { ...base, chairs: 3, exceptions: [closed] };
  const { one, other } = differences(mine, { ...base, chairs: 2 });
  expect(one).toEqual(['Chairs: 3', expect.stringMatching(/2027.*: Closed$/)]);
  expect(other).toEqual(['Chairs: 2', expect.stringMatching(/2027.*: usual hours$/)]);
});

test('a draft keeps its changes on top of a newer version, and nothing else', () => {
  const closed = (date: string) => ({ date, intervals: [] });
  const version = (fields: object) => ({ ...hoursOf(draftOf()), ...fields }) as OpeningHours;
  const base = version({ exceptions: [closed('2027-01-01'), closed('2027-12-24'), closed('2027-12-25')] });
  const draft = draftOf(base);
  draft.weekdays.monday = [typed({ opens: '8', closes: '12' })];
  draft.exceptions = [closed('2027-01-01'), closed('2027-12-24'), closed('2027-12-31')];
  const hours = [{ opens: '09:00', closes: '10:00' }];
  const newer = version({
    weekdays: { ...base.weekdays, monday: hours, tuesday: hours },
    exceptions: [closed('2027-12-24'), closed('2027-12-25'), closed('2027-12-26')],
    chairs: 4,
  });
  expect(hoursOf(rebased(draft, base, newer))).toMatchObject({
    weekdays: { monday: [{ opens: '08:00', closes: '12:00' }], tuesday: hours, sunday: [] },
    exceptions: [closed('2027-12-24'), closed('2027-12-26'), closed('2027-12-31')],
    chairs: 4,
    slotMinutes: 15,
  });
});

test('an exception replaces another one of its date', () => {
  const closed = (date: string) => ({ date, intervals: [] });
  const short = { date: '2027-12-24', intervals: [{ opens: '08:00', closes: '10:00' }] };
  expect(withExceptions([closed('2027-12-24'), closed('2028-01-01')], [short, closed('2027-01-01')])).toEqual(
    [closed('2027-01-01'), short, closed('2028-01-01')],
  );
});
