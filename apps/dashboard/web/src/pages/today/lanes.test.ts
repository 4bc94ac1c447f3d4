import { expect, test } from 'vitest';
import { lanesOf } from './lanes.ts';

const MINUTE = 60_000;
const placed = (...visits: [name: string, start: number, end: number][]) =>
  lanesOf(visits.map(([name, start, end]) => ({ name, start: start * MINUTE, end: end * MINUTE }))).map(
    ({ item, lane, more }) => [item.name, lane, more.map(({ name }) => name).join()],
  );

test('appointments one after the other have the whole width', () => {
  expect(placed(['b', 30, 60], ['a', 0, 30])).toEqual([
    ['a', 0, ''],
    ['b', 0, ''],
  ]);
});

test('the second of two lies above the first, and others are counted', () => {
  expect(placed(['a', 0, 30], ['b', 15, 90], ['c', 20, 50], ['d', 25, 30], ['e', 30, 60])).toEqual([
    ['a', 0, ''],
    ['b', 1, 'c,d'],
    ['e', 0, ''],
  ]);
});

test('of those that begin together, the longest is the first', () => {
  expect(placed(['short', 0, 15], ['long', 0, 60], ['third', 0, 30])).toEqual([
    ['long', 0, ''],
    ['third', 1, 'short'],
  ]);
});

test('short appointments are as high as a quarter of an hour', () => {
  expect(placed(['a', 0, 5], ['b', 5, 10], ['c', 10, 15], ['d', 15, 20])).toEqual([
    ['a', 0, ''],
    ['b', 1, 'c'],
    ['d', 0, ''],
  ]);
});
