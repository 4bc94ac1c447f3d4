import { expect, test } from 'vitest';
import { grouped } from './grouped.ts';

/** A flush that ends when it is told. */
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

test('an idle caller is flushed at once; what comes meanwhile forms the next group', async () => {
  const { groups, flush } = controlled();
  const call = grouped(flush, 100);
  const results = Promise.all([call(1), call(2), call(3)]);
  expect(groups.map(({ items }) => items)).toEqual([[1]]);
  groups[0]?.end();
  await settled();
  expect(groups.map(({ items }) => items)).toEqual([[1], [2, 3]]);
  groups[1]?.end();
  expect(await results).toEqual([10, 20, 30]);
});

test('a group has a largest size', async () => {
  const { groups, flush } = controlled();
  const call = grouped(flush, 2);
  const results = Promise.all([1, 2, 3, 4].map(call));
  for (let index = 0; index < 3; index++) {
    groups[index]?.end();
    await settled();
  }
  expect(groups.map(({ items }) => items)).toEqual([[1], [2, 3], [4]]);
  expect(await results).toEqual([10, 20, 30, 40]);
});

test('a failure reaches the callers of its group and nobody else', async () => {
  const { groups, flush } = controlled();
  const call = grouped(flush, 100);
  const first = call(1);
  const second = call(2);
  groups[0]?.end(new Error('lost'));
  await expect(first).rejects.toThrow('lost');
  await settled();
  groups[1]?.end();
  expect(await second).toBe(20);
});
