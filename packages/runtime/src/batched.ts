/**
 * Groups calls for single items. Calls of one turn of the event loop share a flush. Calls that arrive while the maximum
 * number of flushes is running wait and form the next group. So an idle caller does not wait, and busy callers share.
 *
 * @param flush does the work of a group and returns one result for each item, in order; for an item that takes longer
 * than the group, the result is a promise
 * @param max the largest group
 * @param options.atOnce the most flushes at the same time; default 1
 * @param options.rest how long the next flush waits for more items after a flush of less than half the largest group,
 * in milliseconds; default 0
 * @returns a function that resolves with the result of its item, or rejects with the error of its group's flush
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
