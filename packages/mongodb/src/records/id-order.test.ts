import { expect, test } from 'vitest';
import { inIdOrder, type RangeReader } from './id-order.ts';

type Row = { _id: string };

/** Rows in a given order of storage. Counts the rows that were sorted. */
const reading = (stored: readonly Row[]) => {
  let sorted = 0;
  const within = (range: Parameters<RangeReader<Row>['ids']>[0]): Row[] => {
    const { $gt, $lte, $in } = (range._id ?? {}) as { $gt?: string; $lte?: string; $in?: string[] };
    return stored.filter(
      ({ _id }) =>
        ($gt === undefined || _id > $gt) &&
        ($lte === undefined || _id <= $lte) &&
        ($in === undefined || $in.includes(_id)),
    );
  };
  const reader: RangeReader<Row> = {
    ids: async (range, limit) =>
      within(range)
        .slice(0, limit)
        .map(({ _id }) => _id),
    async documents(range, limit) {
      const found = within(range).toSorted((one, other) => (one._id < other._id ? -1 : 1));
      sorted += found.length;
      return found.slice(0, limit);
    },
  };
  return { reader, sorted: () => sorted };
};
const rows = (count: number): Row[] =>
  Array.from({ length: count }, (_, index) => ({ _id: String(index).padStart(6, '0') }));
const shuffled = (list: readonly Row[]): Row[] =>
  list.toSorted((one, other) => ((Number(one._id) * 7919) % 10_007) - ((Number(other._id) * 7919) % 10_007));

test.each([
  [0, 10],
  [9, 10],
  [1999, 100],
  [2000, 100],
  [2001, 1],
  [9000, 200],
])('%i rows in any order of storage are read in the order of ids, %i at a time', async (count, atOnce) => {
  const all = rows(count);
  for (const stored of [all, all.toReversed(), shuffled(all)]) {
    expect(await Array.fromAsync(inIdOrder(reading(stored).reader, undefined, atOnce))).toEqual(all);
    const after = all[Math.floor(count / 2)]?._id;
    if (after !== undefined)
      expect(await Array.fromAsync(inIdOrder(reading(stored).reader, after, atOnce))).toEqual(
        all.filter(({ _id }) => _id > after),
      );
  }
});

test('the first rows of many are read without sorting all of them', async () => {
  for (const [stored, most] of [
    [rows(9000), 100],
    [shuffled(rows(9000)), 1000],
  ] as const) {
    const { reader, sorted } = reading(stored);
    for await (const { _id } of inIdOrder(reader, undefined, 100)) if (_id === '000099') break;
    expect(sorted()).toBeLessThanOrEqual(most);
  }
});
