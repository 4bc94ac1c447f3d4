import { expect, test } from 'vitest';
import { barsOf, durationOf, type Hour, totalOf } from './hours.ts';

const HOUR = 3_600_000;
const now = Date.parse('2030-01-31T12:34:56Z');
const none = Array<number>(24).fill(0);
const hourAt = (hour: string, change: Partial<Hour>): Hour => ({
  hour,
  succeeded: 0,
  failed: 0,
  skipped: 0,
  interrupted: 0,
  durations: none,
  ...change,
});

test('a day has 24 bars that end with the current hour, and rows of one hour are added up', () => {
  const hours = [
    hourAt('2030-01-31T12:00:00.000Z', { succeeded: 2 }),
    hourAt('2030-01-31T12:00:00.000Z', { succeeded: 1, failed: 1 }),
    hourAt('2030-01-30T13:00:00.000Z', { skipped: 5 }),
    hourAt('2030-01-30T12:00:00.000Z', { skipped: 7 }),
  ];
  const bars = barsOf(hours, 'day', now);
  expect(bars).toHaveLength(24);
  expect(bars.at(-1)).toEqual({
    time: Date.parse('2030-01-31T12:00:00Z'),
    outcomes: { succeeded: 3, failed: 1, skipped: 0, interrupted: 0 },
  });
  expect(bars[0]?.outcomes.skipped).toBe(5);
  expect(bars.reduce((sum, { outcomes }) => sum + outcomes.skipped, 0)).toBe(5);
  expect(totalOf(hours)).toEqual({ succeeded: 3, failed: 1, skipped: 12, interrupted: 0 });
});

test('a month has 30 bars of 24 hours', () => {
  const bars = barsOf([hourAt('2030-01-31T12:00:00.000Z', { failed: 1 })], 'month', now);
  expect(bars).toHaveLength(30);
  expect(bars.at(-1)?.outcomes.failed).toBe(1);
  expect((bars[1]?.time ?? 0) - (bars[0]?.time ?? 0)).toBe(24 * HOUR);
});

test('a share of the attempts ends within the bound of its bucket', () => {
  const durations = none.with(5, 90).with(11, 9).with(23, 1);
  const hours = [hourAt('2030-01-31T12:00:00.000Z', { durations })];
  expect(durationOf(hours, 0.5)).toBe(10);
  expect(durationOf(hours, 0.95)).toBe(100);
  expect(durationOf(hours, 1)).toBe(5000);
  expect(durationOf([], 0.5)).toBeUndefined();
});
