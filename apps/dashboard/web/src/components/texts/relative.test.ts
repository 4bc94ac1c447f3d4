import { expect, test } from 'vitest';
import { relativeText } from './relative.ts';

const now = Date.parse('2030-06-15T12:00:00Z');
const at = (seconds: number): string => relativeText(now + seconds * 1000, now);

test('a time of less than a day away is a distance, and others are a weekday or a date', () => {
  expect(at(0)).toBe('now');
  expect(at(9)).toBe('now');
  expect([at(-42), at(-60), at(-3599), at(-3600), at(-86_399)]).toEqual([
    '42 sec ago',
    '1 min ago',
    '59 min ago',
    '1 hr ago',
    '23 hr ago',
  ]);
  expect(at(7200)).toBe('in 2 hr');
  expect(at(-2 * 86_400)).toMatch(/^Thu\b/);
  expect(at(-30 * 86_400)).toMatch(/May/);
  expect(at(-30 * 86_400)).not.toMatch(/2030/);
  expect(at(-400 * 86_400)).toMatch(/2029/);
});
