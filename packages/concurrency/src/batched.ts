/** Options of `batched`. */
export type Batching<T> = {
  /** Maximum number of concurrent flushes; default 1. */
  atOnce?: number;
  /** How long to wait for more items after a flush that used less than half of the maximum group size; default 0. */
  restMs?: number;
  /** How long each group waits for more items, unless it has reached the maximum size; default 0. */
  delayMs?: number;
  /** How long a group waits if no flush has begun within `delayMs` before it; default: as long as any other group. */
  idleDelayMs?: number;
  /** The size of an item; default 1. An item that is larger than the maximum group size is flushed alone. */
  sizeOf?: (item: T) => number;
};

/**
 * Groups calls for single items. Calls in the same turn of the event loop share a flush. Calls that arrive while the
 * maximum number of flushes is running wait and form the next group. So a single caller does not wait (unless `delayMs`
 * or `restMs` is set), and concurrent callers share flushes.
 *
 * @param flush does the work of a group and returns one result for each item, in order. The result of an item may be a
 *   promise, if the item takes longer than the rest of its group
 * @param max the maximum size of a group: the sum of the sizes of its items
 * @returns a function that resolves with the result of its item, or rejects with the error of its group's flush
 */
export const batched = <T, R>(
  flush: (items: T[]) => Promise<readonly (R | PromiseLike<R>)[]>,
  max: number,
  { atOnce = 1, restMs = 0, delayMs = 0, idleDelayMs = delayMs, sizeOf = () => 1 }: Batching<T> = {},
): ((item: T) => Promise<R>) => {
  type Waiting = { item: T; resolve: (result: R) => void; reject: (error: unknown) => void };
  const waiting: Waiting[] = [];
  let waitingSize = 0;
  let running = 0;
  let timer: NodeJS.Timeout | undefined;
  /** When the last flush began, on the monotonic clock. */
  let begunAt = Number.NEGATIVE_INFINITY;

  /** Removes the next group from the waiting items. */
  const take = (): { group: Waiting[]; size: number } => {
    let size = 0;
    const end = waiting.findIndex(({ item }, index) => {
      const own = sizeOf(item);
      if (index > 0 && size + own > max) return true;
      size += own;
      return false;
    });
    const group = waiting.splice(0, end < 0 ? waiting.length : end);
    waitingSize -= size;
    return { group, size };
  };

  const flushGroup = async (group: readonly Waiting[]): Promise<void> => {
    try {
      const results = await flush(group.map(({ item }) => item));
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as R);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  };

  const run = async () => {
    while (waiting.length > 0) {
      const { group, size } = take();
      await flushGroup(group);
      if (restMs > 0 && size < max / 2) await new Promise((resolve) => setTimeout(resolve, restMs));
      if (delayMs > 0 && waitingSize < max) break;
    }
    running--;
    if (waiting.length > 0) begin();
  };

  /** Starts a flush, at once or after the delay. */
  const begin = (): void => {
    if (running >= atOnce) return;
    const isIdle = performance.now() - begunAt >= delayMs;
    if (delayMs > 0 && waitingSize < max) timer ??= setTimeout(start, isIdle ? idleDelayMs : delayMs);
    else start();
  };
  const start = (): void => {
    clearTimeout(timer);
    timer = undefined;
    // The running flush calls `begin` when it ends.
    if (running >= atOnce) return;
    running++;
    begunAt = performance.now();
    setImmediate(run);
  };

  return (item) =>
    new Promise<R>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      waitingSize += sizeOf(item);
      begin();
    });
};
