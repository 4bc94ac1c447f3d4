import type { Filter } from 'mongodb';

/** How many ids are read at once without an order. */
const MAX_IDS = 2000;

type Range = Filter<{ _id: string }>;

/** Reads what a query matches, within a range of `_id`. */
export type RangeReader<D> = {
  /** The ids of any `limit` documents, in any order. */
  ids(range: Range, limit: number): Promise<string[]>;
  /** The first `limit` documents, in the order of `_id`. */
  documents(range: Range, limit: number): Promise<D[]>;
};

const beyond = (last: string | undefined): { _id?: { $gt: string } } =>
  last === undefined ? {} : { _id: { $gt: last } };

/**
 * Yields the documents that a query matches in the order of `_id`, without making the database sort all of them.
 *
 * It first reads ids without an order. If there are few, they are all there are. If not, the first `count` of them tell a bound
 * that at least `count` documents do not exceed, so only those up to the bound are sorted. A database that stores documents
 * about in the order in which they were created, which is that of their ids, returns low ids.
 *
 * @param after the id after which the documents begin
 * @param count the number of documents that are read at once
 */
export async function* inIdOrder<D extends { _id: string }>(
  { ids, documents }: RangeReader<D>,
  after: string | undefined,
  count: number,
): AsyncGenerator<D, void> {
  let last = after;
  const isLeft = (id: string): boolean => last === undefined || id > last;
  // Without a range, because a database may read a wide range in addition to the index.
  let found = await ids({}, MAX_IDS);
  let known = found.filter(isLeft).sort();
  while (found.length === MAX_IDS) {
    if (known.length < count) {
      found = await ids(beyond(last), MAX_IDS);
      known = found.sort();
      continue;
    }
    const bound = known[count - 1] as string;
    const first = await documents({ _id: { ...beyond(last)._id, $lte: bound } }, count);
    yield* first;
    // Fewer than `count` are left if others were deleted meanwhile.
    last = first.length < count ? bound : first.at(-1)?._id;
    known = known.filter(isLeft);
  }
  for (let from = 0; from < known.length; from += count)
    yield* await documents({ _id: { $in: known.slice(from, from + count) } }, count);
}
