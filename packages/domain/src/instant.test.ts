import { expect, test } from 'vitest';
import { instant, nextEditTime } from './instant.ts';

test.each([
  ['2030-01-31T09:30:00Z', '2030-01-31T09:30:00.000Z'],
  ['2030-01-31T09:30:00.5+02:00', '2030-01-31T07:30:00.500Z'],
  ['2030-01-31T09:30:00.123456789Z', '2030-01-31T09:30:00.123Z'],
  ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
  ['2030-01-01T00:00:00-00:30', '2030-01-01T00:30:00.000Z'],
])('%s is %s', (text, utc) => {
  expect(instant.parse(text)).toBe(utc);
});

test.each([
  '2030-01-31',
  '2030-01-31T09:30:00',
  '2030-02-30T09:30:00Z',
  '2027-02-29T09:30:00Z',
  '2016-12-31T23:59:60Z',
  '2030-01-31T24:00:00Z',
  '2030-01-31T09:30:00+0200',
  '20300131T093000Z',
  '+012030-01-31T09:30:00Z',
  '9999-12-31T23:59:59-00:01',
  '0000-01-01T00:00:00+00:01',
  ' 2030-01-31T09:30:00Z',
  'now',
  '',
  1_900_000_000,
  null,
])('%j is refused with one issue', (value) => {
  expect(instant.safeParse(value).error?.issues).toHaveLength(1);
});

test.each([
  ['2030-01-31T09:30:00 01:00', 'write + as %2B'],
  ['2030-01-31T09:30:00.5 01:00', 'write + as %2B'],
  ['2030-01-31T09:30 01:00', 'write + as %2B'],
  ['2030-01-31T09:30Z', 'must have seconds'],
  ['2030-01-31T09:30+01:00', 'must have seconds'],
  ['2030-01-31', 'must be an ISO 8601 instant'],
])('the issue for %s explains what to change', (text, problem) => {
  expect(instant.safeParse(text).error?.issues).toEqual([
    expect.objectContaining({ message: expect.stringContaining(problem) }),
  ]);
});

test('a later version has a later time even if the clock goes back', () => {
  const now = new Date('2030-01-01T00:00:00.000Z');
  expect(nextEditTime(now)).toBe('2030-01-01T00:00:00.000Z');
  expect(nextEditTime(now, '2029-01-01T00:00:00.000Z')).toBe('2030-01-01T00:00:00.000Z');
  expect(nextEditTime(now, '2030-01-01T00:00:00.000Z')).toBe('2030-01-01T00:00:00.001Z');
  expect(nextEditTime(now, '2031-01-01T00:00:00.000Z')).toBe('2031-01-01T00:00:00.001Z');
});
