import type { Attempt } from '@chairside/domain';
import { expect, test } from 'vitest';
import { createOutageWatch, isOutage, type Reach, reachedHost } from './outage.ts';

const lost = (host: number): Reach => ({ host: `h${host}`, reached: false });
const window = (hosts: number, count = 20) =>
  Array.from({ length: count }, (_, index) => lost(index % hosts));

test('twenty attempts to five hosts that reached nobody, no fewer', () => {
  expect(isOutage(window(5))).toBe(true);
  expect(isOutage(window(20))).toBe(true);
  expect(isOutage(window(4))).toBe(false);
  expect(isOutage(window(5, 19))).toBe(false);
});

test('one that got through is enough, unless it is long ago', () => {
  const reached = { host: 'h1', reached: true };
  for (const at of [0, 7, 19]) expect(isOutage(window(5).with(at, reached))).toBe(false);
  expect(isOutage([reached, ...window(5)])).toBe(true);
});

const attempt = (rest: object) =>
  ({ attemptTime: new Date(), duration: 1, timings: {}, outcome: 'failed', reason: '', ...rest }) as Attempt;

test.each([
  [{ cause: 'dns', timings: { lookup: 1 } }, false],
  [{ cause: 'connect', timings: { lookup: 1, connect: 1 } }, false],
  [{ cause: 'timeout', timings: { lookup: 5000 } }, false],
  [{ cause: 'timeout', timings: { lookup: 1, connect: 4999 } }, false],
  [{ cause: 'timeout', timings: { lookup: 1, connect: 1, tls: 4998 } }, true],
  [{ cause: 'timeout', timings: { firstByte: 5000 } }, true],
  [{ cause: 'blocked_address', timings: { lookup: 1 } }, true],
  [{ cause: 'tls', timings: { lookup: 1, connect: 1, tls: 1 } }, true],
  [{ outcome: 'succeeded', timings: { firstByte: 1 } }, true],
])('an attempt with %j has reached its host: %s', (rest, reached) => {
  expect(reachedHost(attempt(rest))).toBe(reached);
});

test('names what the outage has failed, once; then each attempt until one gets through', () => {
  const changes: boolean[] = [];
  const watch = createOutageWatch<number>((isOut) => changes.push(isOut));
  const noted = window(5, 21).map((reach, index) => watch.note(index, reach));
  expect(noted.slice(0, 19).every((items) => items.length === 0)).toBe(true);
  expect(noted[19]).toEqual(Array.from({ length: 20 }, (_, index) => index));
  expect(noted[20]).toEqual([20]);
  expect(watch.isOut()).toBe(true);
  expect(watch.note(21, { host: 'h1', reached: true })).toEqual([]);
  expect(watch.isOut()).toBe(false);
  expect(changes).toEqual([true, false]);
  expect(watch.note(22, lost(1))).toEqual([]);
});
