import { expect, test, vi } from 'vitest';
import { batched } from './batched.ts';

/** A flush that does not end until the test ends it. */
const controlled = () => {
  const groups: { items: number[]; end: (error?: Error) => void }[] = [];
  const flush = (items: number[]) =>
    new Promise<number[]>((resolve, reject) => {
      groups.push({
        items,
        end: (error) => (error === undefined ? resolve(items.map((item) => item * 10)) : reject(error)),
      });
    });
  return { groups, flush };
};
const settled = () => new Promise((resolve) => setImmediate(resolve));

const itemsOf = (groups: readonly { items: number[] }[]) => groups.map(({ items }) => items);

test('flushes the calls of one turn together; later calls form the next group', async () => {
  const { groups, flush } = controlled();
  const call = batched(flush, 100);
  const first = Promise.all([call(1), call(2)]);
  await settled();
  const second = Promise.all([call(3), call(4), call(5)]);
  await settled();
  expect(itemsOf(groups)).toEqual([[1, 2]]);
  groups[0]?.end();
  expect(await first).toEqual([10, 20]);
  await settled();
  expect(itemsOf(groups)).toEqual([
    [1, 2],
    [3, 4, 5],
  ]);
  groups[1]?.end();
  expect(await second).toEqual([30, 40, 50]);
});

test('limits the size of a group', async () => {
  const { groups, flush } = controlled();
  const call = batched(flush, 2);
  const results = Promise.all([1, 2, 3].map(call));
  for (let index = 0; index < 2; index++) {
    await settled();
    groups[index]?.end();
  }
  expect(await results).toEqual([10, 20, 30]);
  expect(itemsOf(groups)).toEqual([[1, 2], [3]]);
});

test('a failure rejects only the calls of its own group', async () => {
  const { groups, flush } = controlled();
  const call = batched(flush, 1);
  const first = call(1);
  const second = call(2);
  await settled();
  groups[0]?.end(new Error('lost'));
  await expect(first).rejects.toThrow('lost');
  await settled();
  groups[1]?.end();
  expect(await second).toBe(20);
});

test('runs at most `atOnce` flushes at the same time', async () => {
  const { groups, flush } = controlled();
  const call = batched(flush, 100, { atOnce: 2 });
  const results: Promise<number>[] = [];
  for (const item of [1, 2, 3, 4]) {
    results.push(call(item));
    await settled();
  }
  expect(itemsOf(groups)).toEqual([[1], [2]]);
  groups[1]?.end();
  await settled();
  expect(itemsOf(groups)).toEqual([[1], [2], [3, 4]]);
  groups[0]?.end();
  groups[2]?.end();
  expect(await Promise.all(results)).toEqual([10, 20, 30, 40]);
});

test('with `restMs`, the next flush waits for more items, but the first does not', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const { groups, flush } = controlled();
  const call = batched(flush, 100, { restMs: 20 });
  const first = call(1);
  await settled();
  expect(itemsOf(groups)).toEqual([[1]]);
  const second = call(2);
  groups[0]?.end();
  expect(await first).toBe(10);
  await settled();
  const third = call(3);
  await vi.advanceTimersByTimeAsync(19);
  expect(itemsOf(groups)).toEqual([[1]]);
  await vi.advanceTimersByTimeAsync(1);
  expect(itemsOf(groups)).toEqual([[1], [2, 3]]);
  groups[1]?.end();
  expect(await Promise.all([second, third])).toEqual([20, 30]);
  vi.useRealTimers();
});

test('a group waits for more items until its delay is over', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { groups, flush } = controlled();
  const call = batched(flush, 100, { delayMs: 500 });
  const calls = [call(1)];
  vi.advanceTimersByTime(400);
  calls.push(call(2));
  vi.advanceTimersByTime(99);
  await settled();
  expect(groups).toEqual([]);
  vi.advanceTimersByTime(1);
  await settled();
  expect(itemsOf(groups)).toEqual([[1, 2]]);
  // A call that arrives during the flush waits for its own delay, which begins when the flush ends.
  calls.push(call(3));
  vi.advanceTimersByTime(500);
  await settled();
  groups[0]?.end();
  await settled();
  vi.advanceTimersByTime(500);
  await settled();
  groups[1]?.end();
  expect(await Promise.all(calls)).toEqual([10, 20, 30]);
  vi.useRealTimers();
});

test('after a pause, a group waits only for the idle delay', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const { groups, flush } = controlled();
  const call = batched(flush, 100, { delayMs: 500, idleDelayMs: 50 });
  const calls = [call(1)];
  vi.advanceTimersByTime(50);
  await settled();
  expect(itemsOf(groups)).toEqual([[1]]);
  groups[0]?.end();
  await settled();
  calls.push(call(2));
  vi.advanceTimersByTime(499);
  await settled();
  expect(groups).toHaveLength(1);
  vi.advanceTimersByTime(1);
  await settled();
  groups[1]?.end();
  await settled();
  vi.advanceTimersByTime(500);
  calls.push(call(3));
  vi.advanceTimersByTime(50);
  await settled();
  expect(itemsOf(groups)).toEqual([[1], [2], [3]]);
  groups[2]?.end();
  expect(await Promise.all(calls)).toEqual([10, 20, 30]);
  vi.useRealTimers();
});

test('a full group does not wait, and the size of an item counts', async () => {
  const { groups, flush } = controlled();
  const call = batched(flush, 10, { delayMs: 60_000, sizeOf: (item: number) => item });
  const calls = Promise.all([4, 4, 4, 25, 10].map(call));
  for (let index = 0; index < 4; index++) {
    await settled();
    groups[index]?.end();
  }
  expect(await calls).toEqual([40, 40, 40, 250, 100]);
  expect(itemsOf(groups)).toEqual([[4, 4], [4], [25], [10]]);
});
