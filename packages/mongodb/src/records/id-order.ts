import type { Filter } from 'mongodb';

/** How many times as many documents are read without an order as with it. */
const SAMPLE = 4;

type Read<D> = (
  range: Filter<{ _id: string }>,
  options: { limit: number; sort?: { _id: 1 } },
) => Promise<D[]>;

/**
 * Yields the documents that a query matches in the order of `_id`, without making the database sort all of them.
 *
 * It first reads any documents. If there are few, they are all there are. If not, the first `count` of these documents, by
 * `_id`, tell a bound that at least `count` documents do not exceed, so only those up to the bound are sorted. A database that
 * stores documents about in the order in which they were created, which is that of their ids, returns a low bound.
 *
 * @param read reads documents in this range of `_id`
 * @param after the id after which the documents begin
 * @param count the number of documents that are sorted at once
 */
export async function* inIdOrder<D extends { _id: string }>(
  read: Read<D>,
  after: string | undefined,
  count: number,
): AsyncGenerator<D, void> {
  for (let last = after; ; ) {
    const beyond = last === undefined ? {} : { _id: { $gt: last } };
    const any = await read(beyond, { limit: SAMPLE * count });
    any.sort((one, other) => (one._id < other._id ? -1 : 1));
    const bound = any[count - 1]?._id;
    if (any.length < SAMPLE * count || bound === undefined) {
      yield* any;
      return;
    }
    const first = await read({ _id: { ...beyond._id, $lte: bound } }, { limit: count, sort: { _id: 1 } });
    yield* first;
    // Fewer than `count` are left if others were deleted meanwhile.
    last = first.length < count ? bound : first.at(-1)?._id;
  }
}
