import { expect, test } from 'vitest';
import { instant, nextEditTime } from './instant.ts';

test.each([
  ['2030-01-31T09:30:00Z', '2030-01-31T09:30:00.000Z'],
  ['2030-01-31T09:30:00.5+02:00', '2030-01-31T07:30:00.500Z'],
  ['2030-01-31T09:30:00.123456789Z', '2030-01-31T09:30:00.123Z'],
  ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
  ['2030-01-01T00:00:00-00:30', '2030-01-01T00:30:00.000Z'],
  // Python's strftime('%z'), Java's XX, PHP's O, Ruby's %z.
  ['2030-01-31T09:30:00+0000', '2030-01-31T09:30:00.000Z'],
  ['2030-01-31T09:30:00+0200', '2030-01-31T07:30:00.000Z'],
  ['2030-01-31T09:30:00-0330', '2030-01-31T13:00:00.000Z'],
  ['2030-01-31T09:30:00.250+0545', '2030-01-31T03:45:00.250Z'],
  // Java's X, PostgreSQL.
  ['2030-01-31T09:30:00+02', '2030-01-31T07:30:00.000Z'],
  ['2030-01-31T09:30:00.123456-08', '2030-01-31T17:30:00.123Z'],
  ['2030-01-31t09:30:00z', '2030-01-31T09:30:00.000Z'],
  ['2030-01-31T09:30:00z', '2030-01-31T09:30:00.000Z'],
  ['2030-01-31t09:30:00+02:00', '2030-01-31T07:30:00.000Z'],
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
  ['2030-01-31T09:30z', 'must have seconds'],
  ['2030-01-31T09:30', 'must have seconds'],
  ['2030-01-31T09Z', 'must have seconds'],
  ['2030-01-31T09:30:00 0100', 'write + as %2B'],
  ['2030-01-31T09:30:00 01', 'write + as %2B'],
  ['2030-01-31', 'has no time'],
  ['2030-01-31Z', 'has no time'],
  ['2030-01-31T09:30:00', 'has no time zone'],
  ['2030-01-31T09:30:00.5', 'has no time zone'],
  ['2030-01-31 09:30:00Z', 'must have a T'],
  ['2030-01-31 09:30:00+02:00', 'must have a T'],
  ['2030-01-31 09:30', 'must have a T'],
  ['2030-01-31T09:30:00,5Z', 'must have a point'],
  ['2030-01-31T09:30:00+02:00[Europe/Berlin]', 'leave out the brackets'],
  ['2030-01-31T09:30:00Z[UTC]', 'leave out the brackets'],
  ['2030-01-31T09:30:00 UTC', 'not with the name of a zone'],
  ['2030-01-31T09:30:00CET', 'not with the name of a zone'],
  ['2030-01-31T09:30:00\u221202:00', 'write a hyphen'],
  ['2016-12-31T23:59:60Z', 'leap seconds'],
  ['2030-01-31T24:00:00Z', 'write midnight as 00:00:00'],
  ['2030-02-30T09:30:00Z', 'does not exist'],
  ['2030-01-31T25:00:00+0100', 'does not exist'],
  ['2030-01-31T09:30:00+99:00', 'does not exist'],
  ['2030-01-31T09:30:00+2', 'must be an ISO 8601 instant'],
  ['20300131T093000Z', 'must have hyphens and colons'],
  ['20300131', 'must have hyphens and colons'],
  ['1900000000', 'not a number of seconds'],
  [1_900_000_000, 'not a number of seconds'],
  [' 2030-01-31T09:30:00Z', 'white space before or after'],
  ['2030-01-31T09:30:00Z\n', 'white space before or after'],
  ['Thu, 31 Jan 2030 09:30:00 GMT', 'must be an ISO 8601 instant'],
  ['31.01.2030 09:30', 'must be an ISO 8601 instant'],
  [null, 'must be an ISO 8601 instant'],
  [{}, 'must be an ISO 8601 instant'],
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
