import { readFileSync } from 'node:fs';
import { readOpeningHours, readSettingLine, type SettingKind } from '@chairside/domain';
import { expect, test } from 'vitest';
import { findSlots, noSlotReasons } from '../src/index.ts';
import { occupiedBy } from './occupied.ts';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const page = read('docs/schedule.md');

test('the opening hours of schedule.md are valid, and every reason is explained', () => {
  const [, json = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
  expect(readOpeningHours(JSON.parse(json))).toHaveProperty('hours');
  for (const reason of noSlotReasons) expect(page).toContain(`| \`${reason}\` | `);
});

test('the example of schedule.md is correct', () => {
  const hours = {
    weekdays: { monday: [{ opens: '08:00', closes: '09:00' }] },
    chairs: 2,
  };
  const parsed = readOpeningHours(hours);
  if ('issues' in parsed) throw new Error('not valid');
  const at = (time: string) => new Date(`2030-01-07T${time}Z`);
  const appointments = [
    { clinicId: 'c', startTime: at('08:00'), endTime: at('08:30'), status: 'SCHEDULED' as const },
    { clinicId: 'c', startTime: at('08:15'), endTime: at('09:00'), status: 'SCHEDULED' as const },
  ];
  const startsFor = (durationMinutes: number) => {
    const search = { clinicId: 'c', from: '2030-01-07', to: '2030-01-07', durationMinutes };
    const place = { timezone: 'UTC', hours: parsed.hours };
    const found = findSlots(search, place, occupiedBy({ blocks: [], appointments }, search), new Date(0));
    return found.outcome === 'found' ? found.slots.map(({ start }) => start.toISOString().slice(11, 16)) : [];
  };
  expect([startsFor(15), startsFor(30)]).toEqual([['08:00', '08:30', '08:45'], ['08:30']]);
});

test('the lines in the README of chairside-admin are valid', () => {
  const readme = read('apps/admin/README.md');
  const section = readme.slice(readme.indexOf('## Practice settings'), readme.indexOf('## Export'));
  const [, lines = ''] = /```json\n([\s\S]*?)\n```/.exec(section) ?? [];
  const kinds: readonly SettingKind[] = ['provider', 'procedure', 'calendar-block', 'calendar-block'];
  expect(lines.split('\n')).toHaveLength(kinds.length);
  for (const [index, line] of lines.split('\n').entries()) {
    expect(readSettingLine(kinds[index] as SettingKind, JSON.parse(line))).toHaveProperty('line');
  }
});
