/**
 * Turns calls for one item into calls for a group. Calls of one turn of the event loop share a flush; those that come
 * while as many flushes as may be are under way wait and form the next group. An idle caller pays nothing, a busy one
 * shares.
 *
 * @param flush does the work of a group and returns one result for each item, in order; one that needs longer than the
 *   group as a promise
 * @param max the largest group
 * @param options.atOnce how many flushes may be under way: 1
 * @param options.rest how long after a flush of less than half the largest group the next one waits for more, in
 *   milliseconds: 0
 * @returns a function that resolves with its item's result, or rejects with what its group's flush threw
 */
export const batched = <T, R>(
  flush: (items: T[]) => Promise<readonly (R | PromiseLike<R>)[]>,
  max: number,
  { atOnce = 1, rest = 0 }: { atOnce?: number; rest?: number } = {},
): ((item: T) => Promise<R>) => {
  type Waiting = { item: T; resolve: (result: R) => void; reject: (error: unknown) => void };
  let waiting: Waiting[] = [];
  let running = 0;

  const run = async () => {
    while (waiting.length > 0) {
      const group = waiting.slice(0, max);
      waiting = waiting.slice(max);
      try {
        const results = await flush(group.map(({ item }) => item));
        for (const [index, { resolve }] of group.entries()) resolve(results[index] as R);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
      if (rest > 0 && group.length < max / 2) await new Promise((resolve) => setTimeout(resolve, rest));
    }
    running--;
  };

  return (item) =>
    new Promise<R>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (running >= atOnce) return;
      running++;
      setImmediate(run);
    });
};
