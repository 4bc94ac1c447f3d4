import { expect, test } from 'vitest';
import { clockChanges, dayAfter, dayOf, hoursOfDay, isDay, localIn, momentOf, startOf } from './days.ts';

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

test('a local time that is skipped or shown twice is the first moment at which the clocks are that far', () => {
  const moment = (local: string, zone: string) => {
    const { time, fault } = momentOf(local, zone);
    return [new Date(time).toISOString().slice(0, 16), fault];
  };
  expect(moment('2027-03-28T01:59', 'Europe/Zurich')).toEqual(['2027-03-28T00:59', undefined]);
  expect(moment('2027-03-28T02:30', 'Europe/Zurich')).toEqual(['2027-03-28T01:00', 'skipped']);
  expect(moment('2027-10-31T02:30', 'Europe/Zurich')).toEqual(['2027-10-31T00:30', 'twice']);
  expect(moment('2027-10-31T03:00', 'Europe/Zurich')).toEqual(['2027-10-31T02:00', undefined]);
  // The clocks of Lord Howe Island move by half an hour.
  expect(moment('2027-10-03T02:15', 'Australia/Lord_Howe')).toEqual(['2027-10-02T15:30', 'skipped']);
  expect(moment('2027-04-04T01:45', 'Australia/Lord_Howe')).toEqual(['2027-04-03T14:45', 'twice']);
  expect(localIn(Date.parse('2027-10-31T01:30Z'), 'Europe/Zurich')).toBe('2027-10-31T02:30');
});

test('a day has 23 or 25 hours if the clocks change', () => {
  const hours = (day: string, zone: string) => hoursOfDay(day, zone);
  expect([hours('2027-03-28', 'Europe/Zurich'), hours('2027-10-31', 'Europe/Zurich')]).toEqual([23, 25]);
  expect([hours('2027-10-03', 'Australia/Lord_Howe'), hours('2027-03-28', 'UTC')]).toEqual([23.5, 24]);
});

test('finds the changes of the clocks, also those at midnight', () => {
  const changes = (first: string, count: number, zone: string) =>
    clockChanges(first, count, zone).map(
      ({ day, from, to }) => `${day}: ${from.slice(11)} to ${to.slice(11)}`,
    );
  expect(changes('2027-01-01', 365, 'Europe/Zurich')).toEqual([
    '2027-03-28: 02:00 to 03:00',
    '2027-10-31: 03:00 to 02:00',
  ]);
  expect(changes('2027-03-28', 1, 'Europe/Zurich')).toEqual(['2027-03-28: 02:00 to 03:00']);
  expect(changes('2027-01-01', 365, 'America/Santiago')).toEqual([
    '2027-04-03: 00:00 to 23:00',
    '2027-09-05: 00:00 to 01:00',
  ]);
  expect(changes('2027-01-01', 365, 'UTC')).toEqual([]);
});
