import { expect, test } from 'vitest';
import { hoursOn, weekdayOf } from './hours.ts';

test('a date has the hours of its exception, otherwise those of its weekday', () => {
  const work = [{ opens: '08:00', closes: '12:00' }];
  const hours = { weekdays: { thursday: work }, exceptions: [{ date: '2030-01-31', intervals: [] }] };
  expect(['2030-01-24', '2030-01-31', '2030-02-01'].map((day) => hoursOn(hours, day))).toEqual([
    work,
    [],
    [],
  ]);
  expect(['2030-01-28', '2030-02-03', '1900-01-01', '1969-12-28'].map(weekdayOf)).toEqual([0, 6, 0, 6]);
});
