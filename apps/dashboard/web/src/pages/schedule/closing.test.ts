import type { OpeningHours } from '@chairside/client';
import { expect, test } from 'vitest';
import { closingOfBlock, closingOfHours } from './closing.ts';

const ZONE = 'Europe/Zurich';
const PLACE = { clinicId: 'c', timeZone: ZONE };
const NOW = { now: Date.parse('2030-06-03T10:00Z') };
const usual = [
  { opens: '08:00', closes: '12:00' },
  { opens: '13:00', closes: '17:00' },
];
const days = { monday: usual, tuesday: usual, wednesday: usual, thursday: usual, friday: usual };
const HOURS: OpeningHours = {
  weekdays: { ...days, saturday: [], sunday: [] },
  exceptions: [],
  chairs: 2,
  slotMinutes: 15,
};
/** An hour of the clinic on a day; the clinic is two hours ahead of UTC. */
const span = (from: string, to: string) => ({
  start: Date.parse(`${from}+02:00`),
  end: Date.parse(`${to}+02:00`),
});

test('a closed day takes its hours, and no others', () => {
  const closed = { ...HOURS, exceptions: [{ date: '2030-06-05', intervals: [] }] };
  const closing = closingOfHours(PLACE, HOURS, closed, NOW);
  expect(closing).toMatchObject({
    day: '2030-06-05',
    from: Date.parse('2030-06-05T00:00+02:00'),
    to: Date.parse('2030-06-06T00:00+02:00'),
  });
  expect(closing?.isClosed(span('2030-06-05T11:45', '2030-06-05T12:15'))).toBe(true);
  expect(closing?.isClosed(span('2030-06-05T12:15', '2030-06-05T12:45'))).toBe(false);
  expect(closing?.isClosed(span('2030-06-04T11:00', '2030-06-04T12:00'))).toBe(false);
  // One that lasts into the day.
  expect(closing?.isClosed(span('2030-06-04T22:00', '2030-06-05T08:01'))).toBe(true);
});

test('shorter hours of a weekday close that part of every week from now on', () => {
  const shorter = {
    ...HOURS,
    weekdays: { ...HOURS.weekdays, friday: [{ opens: '08:00', closes: '15:00' }] },
  };
  const closing = closingOfHours(PLACE, HOURS, shorter, NOW);
  expect(closing).toMatchObject({ from: NOW.now, to: undefined });
  expect(closing).not.toHaveProperty('day');
  expect(closing?.isClosed(span('2031-06-06T14:30', '2031-06-06T15:01'))).toBe(true);
  expect(closing?.isClosed(span('2031-06-06T14:30', '2031-06-06T15:00'))).toBe(false);
  expect(closing?.isClosed(span('2031-06-05T16:00', '2031-06-05T17:00'))).toBe(false);
  // A date with its own hours keeps them.
  const own = { date: '2031-06-06', intervals: usual };
  const kept = closingOfHours(PLACE, { ...HOURS, exceptions: [own] }, { ...shorter, exceptions: [own] }, NOW);
  expect(kept?.isClosed(span('2031-06-06T14:30', '2031-06-06T15:01'))).toBe(false);
});

test('what only opens, what is past and what was never open closes nothing', () => {
  const longer = {
    ...HOURS,
    weekdays: { ...HOURS.weekdays, saturday: usual, monday: [{ opens: '07:00', closes: '24:00' }] },
  };
  expect(closingOfHours(PLACE, HOURS, longer, NOW)).toBeUndefined();
  expect(closingOfHours(PLACE, undefined, HOURS, NOW)).toBeUndefined();
  const past = { ...HOURS, exceptions: [{ date: '2030-06-02', intervals: [] }] };
  expect(closingOfHours(PLACE, HOURS, past, NOW)).toBeUndefined();
  const sunday = { ...HOURS, exceptions: [{ date: '2030-06-09', intervals: [] }] };
  expect(closingOfHours(PLACE, HOURS, sunday, NOW)).toBeUndefined();
});

test('removing a date with longer hours closes what it had beyond the weekday', () => {
  const long = {
    ...HOURS,
    exceptions: [{ date: '2030-06-08', intervals: [{ opens: '20:00', closes: '24:00' }] }],
  };
  const closing = closingOfHours(PLACE, long, HOURS, NOW);
  expect(closing?.isClosed(span('2030-06-08T23:30', '2030-06-08T24:00'))).toBe(true);
  expect(closing?.day).toBe('2030-06-08');
});

test('a block takes its time, a changed one what it did not take before', () => {
  const block = { clinicId: 'c', startTime: '2030-06-05T08:00Z', endTime: '2030-06-05T10:00Z' };
  const longer = { ...block, endTime: '2030-06-05T11:00Z' };
  const [early, late] = [
    span('2030-06-05T10:30', '2030-06-05T11:00'),
    span('2030-06-05T12:30', '2030-06-05T13:30'),
  ];
  expect(closingOfBlock(block, undefined, NOW)?.isClosed(early)).toBe(true);
  expect(closingOfBlock(longer, block, NOW)?.isClosed(early)).toBe(false);
  expect(closingOfBlock(longer, block, NOW)?.isClosed(late)).toBe(true);
  expect(closingOfBlock(longer, { ...block, providerId: 'p' }, NOW)?.isClosed(early)).toBe(true);
  expect(closingOfBlock(block, longer, NOW)).toBeUndefined();
  expect(closingOfBlock(block, undefined, { now: Date.parse('2030-06-06') })).toBeUndefined();
});
