import { expect, test } from 'vitest';
import { clockChanges, hoursOfDay, localIn, momentOf } from './clock.ts';

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
