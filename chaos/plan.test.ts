import { expect, test } from 'vitest';
import { readOptions, UsageError } from './options.ts';
import { faultKinds, faultsOf } from './plan.ts';

const first = (seed: number, count: number, long = true) => {
  const faults = faultsOf(seed, { long });
  return Array.from({ length: count }, () => faults.next().value);
};

test('plans the same faults for the same seed, and other faults for another', () => {
  expect(first(6, 100)).toEqual(first(6, 100));
  expect(first(6, 100)).not.toEqual(first(7, 100));
});

test('plans every kind of fault in a long run, and no long pause in a short one', () => {
  const kinds = new Set(first(6, 1000).map(({ kind }) => kind));
  expect([...kinds].sort()).toEqual([...faultKinds].sort());
  const longest = (long: boolean) => Math.max(...first(6, 1000, long).map(({ pauseMs }) => pauseMs));
  expect(longest(true)).toBeGreaterThan(30_000);
  expect(longest(false)).toBeLessThan(5000);
});

test('reads the command line', () => {
  expect(readOptions([])).toEqual({ seed: expect.any(Number), kills: 1000, minutes: 60 });
  expect(readOptions(['--seed', '6', '--kills', '15', '--minutes', '0.5'])).toEqual({
    seed: 6,
    kills: 15,
    minutes: 0.5,
  });
  expect(readOptions(['--help'])).toBeUndefined();
});

test.each([
  ['--sed', '6'],
  ['--seed', '-1'],
  ['--seed', 'six'],
  ['--kills', '0'],
  ['--kills', '1.5'],
  ['--minutes', ''],
  ['more'],
])('refuses %s %s with an explanation', (...args) => {
  expect(() => readOptions(args)).toThrow(UsageError);
});
