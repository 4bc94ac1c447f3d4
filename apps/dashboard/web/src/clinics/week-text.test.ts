import { expect, test } from 'vitest';
import { weekText } from './week-text.ts';

const open = (opens: string, closes: string) => ({ opens, closes });
const day = [open('08:00', '17:00')];
const week = (change: object) => ({
  ...{ monday: [], tuesday: [], wednesday: [], thursday: [], friday: [], saturday: [], sunday: [] },
  ...change,
});

test('days that follow each other and have the same hours are one part, and closed days are left out', () => {
  const workdays = { monday: day, tuesday: day, wednesday: day, thursday: day, friday: day };
  expect(weekText(week(workdays))).toBe('Mon to Fri 08:00–17:00');
  const split = [open('08:00', '12:00'), open('13:00', '18:00')];
  expect(weekText(week({ ...workdays, wednesday: split, saturday: [open('09:00', '12:00')] }))).toBe(
    'Mon to Tue 08:00–17:00, Wed 08:00–12:00 and 13:00–18:00, Thu to Fri 08:00–17:00, Sat 09:00–12:00',
  );
  expect(weekText(week({ monday: day, wednesday: day }))).toBe('Mon 08:00–17:00, Wed 08:00–17:00');
  expect(weekText(week({}))).toBe('Closed on all days of the week');
});
