import { expect, test } from 'vitest';
import { countText, durationText, moneyText, nounAfter, shareText } from './numbers.ts';

test('durations, counts, shares and money have one form each', () => {
  expect([0.4, 84, 999, 5003, 61_000].map(durationText)).toEqual([
    '0.4 ms',
    '84 ms',
    '999 ms',
    '5.0 s',
    '1 min',
  ]);
  expect(countText(1657)).toBe('1,657');
  expect(shareText(0.939)).toBe('93.9%');
  expect([0, 1, 2].map((value) => nounAfter(value, 'subscription'))).toEqual([
    'subscriptions',
    'subscription',
    'subscriptions',
  ]);
  expect(moneyText(184.2, 'EUR')).toBe('€184.20');
  expect(moneyText(12, 'x')).toBe('12 x');
});
