import { expect, test } from 'vitest';
import { axisOf, minutesOn } from './axis.ts';

const ZONE = 'Europe/Zurich';
const at = (text: string): number => Date.parse(text);
const shown = (day: string, zone: string | undefined, ...spans: [string, string][]) => {
  const axis = axisOf(
    day,
    zone,
    spans.map(([start, end]) => ({ start: at(start), end: at(end) })),
  );
  return { minutes: minutesOn(axis, axis.end), hours: axis.hours.map(({ text }) => text) };
};

test('an axis has the full hours around the first and the last time', () => {
  expect(shown('2030-01-31', ZONE, ['2030-01-31T07:30Z', '2030-01-31T08:00Z'])).toEqual({
    minutes: 60,
    hours: ['08:00'],
  });
  expect(shown('2030-01-31', ZONE, ['2030-01-31T07:59Z', '2030-01-31T09:01Z'])).toEqual({
    minutes: 180,
    hours: ['08:00', '09:00', '10:00'],
  });
  expect(shown('2030-01-31', ZONE).hours).toHaveLength(9);
});

test('a time that begins on the day before or ends on the next one is cut at midnight', () => {
  const { minutes, hours } = shown('2030-01-31', ZONE, ['2030-01-30T22:00Z', '2030-01-31T00:30Z']);
  expect([minutes, hours]).toEqual([120, ['00:00', '01:00']]);
  expect(shown('2030-01-31', ZONE, ['2030-01-01T00:00Z', '2030-02-28T00:00Z']).minutes).toBe(24 * 60);
});

test('the hours of a day on which the clocks change are those that pass', () => {
  const spring = shown('2027-03-28', ZONE, ['2027-03-27T23:00Z', '2027-03-28T22:00Z']);
  expect([spring.minutes, spring.hours.slice(0, 4)]).toEqual([23 * 60, ['00:00', '01:00', '03:00', '04:00']]);
  const autumn = shown('2027-10-31', ZONE, ['2027-10-30T22:00Z', '2027-10-31T23:00Z']);
  expect([autumn.minutes, autumn.hours.slice(1, 5)]).toEqual([25 * 60, ['01:00', '02:00', '02:00', '03:00']]);
  // Half an hour is skipped.
  const half = shown('2027-10-03', 'Australia/Lord_Howe', ['2027-10-02T13:30Z', '2027-10-03T13:00Z']);
  expect([half.minutes, half.hours.slice(1, 4)]).toEqual([23.5 * 60, ['01:00', '03:00', '04:00']]);
  expect(shown('2030-01-31', 'Asia/Kathmandu', ['2030-01-31T03:30Z', '2030-01-31T04:00Z']).hours).toEqual([
    '09:00',
  ]);
});
