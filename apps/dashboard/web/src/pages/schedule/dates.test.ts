import { expect, test } from 'vitest';
import { readDates } from './dates.ts';

test('reads a date on each line, and ranges with both ends', () => {
  expect(readDates('2027-12-24\n\n 2027-07-01..2027-07-03 \r\n2027-07-02')).toEqual({
    days: ['2027-07-01', '2027-07-02', '2027-07-03', '2027-12-24'],
    bad: [],
  });
  expect(readDates('2028-02-28 .. 2028-03-01').days).toEqual(['2028-02-28', '2028-02-29', '2028-03-01']);
});

test('names each line that cannot be read, and keeps the others', () => {
  const { days, bad } = readDates(
    '2027-13-01\n2027-12-24\n2027-07-14..2027-07-01\n24.12.2027\n2027-01-01..2029-01-01\na..b..c',
  );
  expect(days).toEqual(['2027-12-24']);
  expect(bad).toEqual([
    'Line 1: “2027-13-01” is not a date such as 2027-12-24.',
    'Line 3: the range ends before it begins.',
    'Line 4: “24.12.2027” is not a date such as 2027-12-24.',
    'Line 5: the range has more than 366 days.',
    'Line 6: write a range as 2027-07-01..2027-07-14.',
  ]);
});
