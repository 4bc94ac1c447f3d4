import type { CalendarBlock } from '@chairside/client';
import { expect, test } from 'vitest';
import { closureOf, nextOpening, type Opening, openingsOf } from './opening.ts';

const WORK = [
  { opens: '08:00', closes: '12:00' },
  { opens: '13:00', closes: '17:00' },
];
const block = (startTime: string, endTime: string, fields: Partial<CalendarBlock> = {}): CalendarBlock => ({
  _id: startTime,
  clinicId: 'clinic',
  kind: 'HOLIDAY',
  startTime,
  endTime,
  ...fields,
});
const opening = (blocks: CalendarBlock[] = [], timeZone = 'Europe/Zurich'): Opening => ({
  hours: {
    weekdays: {
      monday: WORK,
      tuesday: WORK,
      wednesday: WORK,
      thursday: WORK,
      friday: WORK,
      saturday: [],
      sunday: [{ opens: '01:00', closes: '04:00' }],
    },
    exceptions: [{ date: '2030-01-31', intervals: [] }],
    chairs: 1,
    slotMinutes: 15,
  },
  blocks,
  timeZone,
});
const text = ({ start, end }: { start: number; end: number }) =>
  [start, end].map((time) => new Date(time).toISOString().slice(11, 16)).join(' ');

test('opening hours are moments of the zone, also when the clocks change', () => {
  expect(openingsOf(opening(), '2030-01-30').map(text)).toEqual(['07:00 11:00', '12:00 16:00']);
  expect(openingsOf(opening(), '2030-03-31').map(text)).toEqual(['00:00 02:00']);
  expect(openingsOf(opening(), '2030-10-27').map(text)).toEqual(['23:00 03:00']);
  expect(openingsOf({ ...opening(), hours: undefined }, '2030-01-30')).toEqual([]);
});

test('a day is closed by its weekday, by an exception, or by blocks of the whole clinic', () => {
  expect(closureOf(opening(), '2030-01-30')).toBeUndefined();
  expect(closureOf(opening(), '2030-02-02')).toBe('weekday');
  expect(closureOf(opening(), '2030-01-31')).toBe('exception');
  const morning = block('2030-01-29T23:00Z', '2030-01-30T11:00Z');
  const afternoon = block('2030-01-30T11:00Z', '2030-01-30T23:00Z', { kind: 'CLOSED' });
  expect(closureOf(opening([morning]), '2030-01-30')).toBeUndefined();
  expect(closureOf(opening([afternoon, morning]), '2030-01-30')).toBe('HOLIDAY');
  const ofProvider = { ...afternoon, providerId: 'provider' };
  expect(closureOf(opening([morning, ofProvider]), '2030-01-30')).toBeUndefined();
  expect(closureOf({ ...opening(), hours: undefined }, '2030-02-02')).toBeUndefined();
});

test('the next opening leaves out closed days and blocked hours', () => {
  const blocked = block('2030-02-01T07:00Z', '2030-02-01T12:30Z');
  const next = nextOpening(opening([blocked]), '2030-01-30', 5);
  expect([next?.day, next && new Date(next.start).toISOString()]).toEqual([
    '2030-02-01',
    '2030-02-01T12:30:00.000Z',
  ]);
  expect(nextOpening(opening(), '2030-01-30', 1)).toBeUndefined();
});
