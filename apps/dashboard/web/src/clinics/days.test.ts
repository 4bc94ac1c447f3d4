import { expect, test } from 'vitest';
import { dayAfter, dayOf, isDay, startOf } from './days.ts';

test('only days of the calendar are days', () => {
  expect(['2030-02-28', '2028-02-29'].map(isDay)).toEqual([true, true]);
  expect(['2030-02-29', '2030-2-1', 'today', '', undefined].map(isDay)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});

test('a day follows another across months and years', () => {
  expect(dayAfter('2030-12-31', 1)).toBe('2031-01-01');
  expect(dayAfter('2030-03-01', -1)).toBe('2030-02-28');
});

test('a day begins at the midnight of its zone, also next to a change of the clocks', () => {
  const begin = (day: string, zone: string) => new Date(startOf(day, zone)).toISOString();
  expect(begin('2030-01-31', 'Europe/Zurich')).toBe('2030-01-30T23:00:00.000Z');
  expect(begin('2030-07-01', 'Europe/Zurich')).toBe('2030-06-30T22:00:00.000Z');
  // The clocks change at 02:00 and at 03:00 of these days.
  expect(begin('2030-03-31', 'Europe/Zurich')).toBe('2030-03-30T23:00:00.000Z');
  expect(begin('2030-04-01', 'Europe/Zurich')).toBe('2030-03-31T22:00:00.000Z');
  expect(begin('2030-10-28', 'Europe/Zurich')).toBe('2030-10-27T23:00:00.000Z');
  expect(begin('2030-01-31', 'Pacific/Auckland')).toBe('2030-01-30T11:00:00.000Z');
  expect(begin('2030-01-31', 'America/Los_Angeles')).toBe('2030-01-31T08:00:00.000Z');
  // The first hour of this day does not exist in Beirut: the day begins at 01:00.
  expect(dayOf(startOf('2025-03-30', 'Asia/Beirut'), 'Asia/Beirut')).toBe('2025-03-30');
});

test('a time falls on the day of the zone', () => {
  const time = Date.parse('2030-01-31T23:30:00Z');
  expect(dayOf(time, 'UTC')).toBe('2030-01-31');
  expect(dayOf(time, 'Europe/Zurich')).toBe('2030-02-01');
});
