import { afterEach, expect, test, vi } from 'vitest';
import { dayOf } from './day.ts';

afterEach(() => void vi.unstubAllEnvs());

test.each([
  ['2030-01-31T22:30:00.000Z', '2030-01-30T23:00:00.000Z', '2030-01-31T22:59:59.999Z'],
  // 25 hours: the last one belongs to this day.
  ['2030-10-27T22:30:00.000Z', '2030-10-26T22:00:00.000Z', '2030-10-27T22:59:59.999Z'],
  // 23 hours: the first hour of the next day does not.
  ['2030-03-31T12:00:00.000Z', '2030-03-30T23:00:00.000Z', '2030-03-31T21:59:59.999Z'],
])('the day of %s begins and ends at midnight, also if the clocks change', (time, since, until) => {
  vi.stubEnv('TZ', 'Europe/Zurich');
  expect(dayOf(time)).toEqual({ since, until });
});
