import { expect, test } from 'vitest';
import { createConcurrencyCount } from './concurrency-count.ts';

const of = (name: string, max: number) => ({ name, max });

test('counts under all names or under none, and ends once', () => {
  const count = createConcurrencyCount();
  const first = count.begin([of('session', 1), of('process', 2)]);
  expect(first.full).toBeUndefined();
  expect(count.begin([of('other', 9), of('session', 1), of('process', 2)]).full).toEqual(of('session', 1));
  expect([count.of('other'), count.of('session'), count.of('process')]).toEqual([0, 1, 1]);
  const second = count.begin([of('other', 1), of('process', 2)]);
  expect(count.begin([of('third', 1), of('process', 2)]).full).toEqual(of('process', 2));
  if (first.full === undefined) for (let times = 0; times < 2; times++) first.end();
  if (second.full === undefined) expect(count.of('process')).toBe(1);
  expect(count.begin([of('session', 1), of('process', 2)]).full).toBeUndefined();
});
