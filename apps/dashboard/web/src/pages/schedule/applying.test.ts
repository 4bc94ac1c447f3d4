import type { CalendarBlock, OpeningHours } from '@chairside/client';
import { expect, test } from 'vitest';
import { type Part, planOf, type Settings, weekChanges } from './applying.ts';

const morning = { opens: '08:00', closes: '12:00' };
const afternoon = { opens: '13:00', closes: '17:00' };
const usual = [morning, afternoon];
const days = { monday: usual, tuesday: usual, wednesday: usual, thursday: usual, friday: usual };
const WEEK: OpeningHours['weekdays'] = { ...days, saturday: [], sunday: [] };
const NOW = Date.parse('2030-06-03T10:00Z');
const closed = (date: string) => ({ date, intervals: [] });

const settings = (
  _id: string,
  hours: Partial<OpeningHours> | undefined,
  blocks: CalendarBlock[] = [],
  timezone = 'Europe/Zurich',
): Settings => ({
  clinic: { _id, name: _id, timezone } as Settings['clinic'],
  stored: {
    hours: hours && { weekdays: WEEK, exceptions: [], chairs: 2, slotMinutes: 15, ...hours },
    etag: hours && '"1"',
  },
  blocks,
});
const all: ReadonlySet<Part> = new Set(['hours', 'closed', 'blocks']);
const only = (...parts: Part[]): ReadonlySet<Part> => new Set(parts);

test('says how a week changes, and only that', () => {
  const long = (day: OpeningHours['weekdays']['monday']) => ({ monday: day, tuesday: day });
  expect(weekChanges(WEEK, WEEK)).toEqual([]);
  expect(weekChanges(WEEK, { ...WEEK, ...long([{ opens: '07:30', closes: '12:00' }, afternoon]) })).toEqual([
    'Opens 30 min earlier on Mon and Tue',
  ]);
  expect(weekChanges(WEEK, { ...WEEK, friday: [morning] })).toEqual(['Closes 5 h earlier on Fri']);
  expect(weekChanges(WEEK, { ...WEEK, saturday: [{ opens: '09:00', closes: '12:00' }] })).toEqual([
    'Opens on Sat, 09:00 to 12:00',
  ]);
  expect(weekChanges(WEEK, { ...WEEK, monday: [], wednesday: [], thursday: [], friday: [] })).toEqual([
    'Closed on Mon and Wed to Fri',
  ]);
  expect(weekChanges(WEEK, { ...WEEK, tuesday: [{ opens: '08:00', closes: '17:00' }] })).toEqual([
    'No break on Tue',
  ]);
  const early = [morning, { opens: '12:30', closes: '18:30' }];
  const every = { monday: early, tuesday: early, wednesday: early, thursday: early, friday: early };
  expect(weekChanges(WEEK, { ...WEEK, ...every })).toEqual([
    'Closes 1 h 30 min later on Mon to Fri',
    'Break 12:00 to 12:30 on Mon to Fri',
  ]);
});

test('coming closed days are added or replaced, and those of the target stay', () => {
  const eve = { date: '2030-12-24', intervals: [{ opens: '08:00', closes: '12:00' }] };
  const source = settings('a', { exceptions: [closed('2030-01-01'), eve, closed('2030-12-25')] });
  const own = closed('2030-08-01');
  const plan = planOf(
    source,
    settings('b', { exceptions: [own, closed('2030-12-24')] }),
    only('closed'),
    NOW,
  );
  expect(plan.lines).toEqual(['1 day added, replaces “Closed” on Tue, 24 Dec 2030']);
  expect(plan.hours?.exceptions).toEqual([own, eve, closed('2030-12-25')]);
  expect(plan.hours?.chairs).toBe(2);
  const there = settings('b', { exceptions: [eve, closed('2030-12-25')] });
  expect(planOf(source, there, only('closed'), NOW)).toMatchObject({ lines: [], days: 0, blocks: [] });
  expect(planOf(source, there, only('closed'), NOW)).not.toHaveProperty('hours');
});

test('a clinic without hours gets its first ones, but no closed days alone', () => {
  const source = settings('a', { exceptions: [closed('2030-12-25')] });
  const target = settings('b', undefined);
  expect(planOf(source, target, all, NOW)).toMatchObject({
    hours: { weekdays: WEEK, exceptions: [closed('2030-12-25')] },
    lines: ['1 day added', 'First hours of this clinic'],
  });
  expect(planOf(source, target, only('closed'), NOW).obstacle).toBe('This clinic has no opening hours yet');
  expect(planOf(source, settings('c', {}, [], 'Mars/Olympus'), all, NOW).obstacle).toContain('no time zone');
});

test('blocks are at the same local times, once', () => {
  const block = {
    startTime: '2030-07-01T06:00:00.000Z',
    endTime: '2030-07-01T08:00:00.000Z',
    kind: 'MEETING',
  };
  const source = settings('a', {}, [{ _id: '1', clinicId: 'a', ...block } as CalendarBlock]);
  const target = settings('b', {}, [], 'Europe/Lisbon');
  const [made, ...more] = planOf(source, target, all, NOW).blocks;
  expect(more).toEqual([]);
  expect(made).toEqual({
    clinicId: 'b',
    providerId: null,
    kind: 'MEETING',
    startTime: '2030-07-01T07:00:00.000Z',
    endTime: '2030-07-01T09:00:00.000Z',
  });
  const again = { ...target, blocks: [{ _id: '2', ...made } as unknown as CalendarBlock] };
  expect(planOf(source, again, all, NOW).blocks).toEqual([]);
});
