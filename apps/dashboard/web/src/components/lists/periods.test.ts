import { expect, test } from 'vitest';
import { lastDays, lastMonths } from './periods.ts';

const local = (text: string): string => new Date(text).toISOString();

test('days begin at midnight in the zone of the reader, and last until now', () => {
  expect(lastDays(new Date('2030-03-02T10:30:00'))).toEqual([
    { name: 'Today', period: { since: local('2030-03-02T00:00:00') } },
    { name: '7 days', period: { since: local('2030-02-24T00:00:00') } },
    { name: '30 days', period: { since: local('2030-02-01T00:00:00') } },
  ]);
});

test('months are whole, also over the end of a year', () => {
  expect(lastMonths(new Date('2030-01-31T10:30:00'))).toEqual([
    {
      name: 'Jan',
      period: { since: local('2030-01-01T00:00:00'), until: local('2030-01-31T23:59:59.999') },
    },
    {
      name: 'Dec',
      period: { since: local('2029-12-01T00:00:00'), until: local('2029-12-31T23:59:59.999') },
    },
    {
      name: 'Nov',
      period: { since: local('2029-11-01T00:00:00'), until: local('2029-11-30T23:59:59.999') },
    },
  ]);
});
