import { expect, test } from 'vitest';
import { OverloadedError } from '../driver/unavailable.ts';
import { createOccupiedReads, MAX_BLOCKS, MAX_BUSY_INTERVALS } from './occupied-reads.ts';

/** Reads of clinics with many or few rows that do not end before the test ends them. */
const createReaders = () => {
  const reads = createOccupiedReads();
  const held: { organization: string; rows: number; end: () => void }[] = [];
  const read = (organization: string, rows: number) =>
    reads.run(organization, async ({ blocks, appointments }) => {
      if (appointments < rows) return undefined;
      const { promise, resolve } = Promise.withResolvers<void>();
      held.push({ organization, rows: blocks + appointments, end: resolve });
      await promise;
      return { found: rows };
    });
  const inMemory = () => held.reduce((sum, { rows }) => sum + rows, 0);
  const endFirst = async () => {
    held.shift()?.end();
    await new Promise(setImmediate);
  };
  return { read, held, inMemory, endFirst };
};

test('large reads of many organizations share the room of 300,000, and each organization reads one at once', async () => {
  const { read, held, inMemory, endFirst } = createReaders();
  const all = ['a', 'b', 'c'].flatMap((organization) =>
    Array.from({ length: 4 }, () => read(organization, MAX_BUSY_INTERVALS)),
  );
  await new Promise(setImmediate);
  while (held.length > 0) {
    expect(inMemory()).toBeLessThanOrEqual(300_000);
    const organizations = held.map(({ organization }) => organization);
    expect(new Set(organizations).size).toBe(organizations.length);
    await endFirst();
  }
  expect(await Promise.all(all)).toEqual(Array(12).fill(MAX_BUSY_INTERVALS));
});

test('a small read of an organization runs beside its large one', async () => {
  const { read, held, endFirst } = createReaders();
  const all = [read('a', MAX_BUSY_INTERVALS), read('a', MAX_BUSY_INTERVALS), read('a', 10)];
  await new Promise(setImmediate);
  expect(new Set(held.map(({ rows }) => rows))).toEqual(new Set([5000, MAX_BUSY_INTERVALS + MAX_BLOCKS]));
  for (let read = 0; read < 3; read++) await endFirst();
  expect(await Promise.all(all)).toEqual([MAX_BUSY_INTERVALS, MAX_BUSY_INTERVALS, 10]);
});

test('a read that is too large even for the whole room ends, and so does one of too many that wait', async () => {
  const { read, held, endFirst } = createReaders();
  expect(await read('a', MAX_BUSY_INTERVALS + 1)).toBeUndefined();
  const all = Array.from({ length: 1200 }, () => read('a', 10).catch((error: unknown) => error));
  await new Promise(setImmediate);
  while (held.length > 0) await endFirst();
  const results = await Promise.all(all);
  expect(results.filter((each) => each instanceof OverloadedError)).toHaveLength(1200 - 30 - 1000);
});
