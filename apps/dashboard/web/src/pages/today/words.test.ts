import { expect, test } from 'vitest';
import { closureText, dayText, lengthText, takenText, timesText } from './words.ts';

test('a day, a length and times in words', () => {
  expect([dayText('2026-11-24', 'day'), dayText('2026-12-28', 'short')]).toEqual([
    'Tuesday 24 November',
    'Mon 28 Dec',
  ]);
  expect([15, 90, 120, 270].map((minutes) => lengthText({ start: 0, end: minutes * 60_000 }))).toEqual([
    '15 min',
    '90 min',
    '2 h',
    '4 h 30 min',
  ]);
  const times = (startTime: string, endTime?: string) =>
    timesText({ startTime, ...(endTime !== undefined && { endTime }) }, '2030-01-31', 'Europe/Zurich');
  expect(times('2030-01-31T08:00Z', '2030-01-31T08:30Z')).toBe('09:00 to 09:30');
  expect(times('2030-01-30T22:00Z', '2030-01-30T23:30Z')).toBe('Wed 23:00 to 00:30');
  expect(times('2030-01-31T08:00Z')).toBe('from 09:00');
});

test('a time is taken by a block, a break or another clinic', () => {
  const text = (kind: Parameters<typeof takenText>[0]['kind']) =>
    takenText({ start: 0, end: 1, providerId: 'ada', clinicId: 'south', kind }, (id) => id);
  expect([text(undefined), text('BREAK'), text('MEETING'), text('OTHER')]).toEqual([
    'At south',
    'Break',
    'Block: meeting',
    'Blocked',
  ]);
});

test('a closed day has its reason', () => {
  expect(
    (['weekday', 'exception', 'HOLIDAY', 'CLOSED'] as const).map((each) => closureText(each, '2026-11-28')),
  ).toEqual(['Closed on Saturdays.', 'Closed on this day.', 'Closed: holiday.', 'Closed.']);
});
