import { expect, test } from 'vitest';
import { readTime } from './times.ts';

const now = Date.parse('2030-01-31T12:00:00Z');

test.each([
  ['1h', '2030-01-31T11:00:00.000Z'],
  ['90m', '2030-01-31T10:30:00.000Z'],
  ['30 min', '2030-01-31T11:30:00.000Z'],
  ['45s', '2030-01-31T11:59:15.000Z'],
  ['2 days ago', '2030-01-29T12:00:00.000Z'],
  ['  1 Week  ago ', '2030-01-24T12:00:00.000Z'],
  ['1.5h', '2030-01-31T10:30:00.000Z'],
])('%j is %s', (text, time) => {
  expect(readTime(text, now)).toBe(time);
});

test.each(['2030-01-31T09:30:00Z', '2030-01-31', '', 'yesterday', '5', '-1h', '1 parsec', '9999999y', 'now'])(
  '%j is left to the API',
  (text) => {
    expect(readTime(text, now)).toBe(text);
  },
);
