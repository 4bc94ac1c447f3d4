/** Thrown to the work that found no place: trying again in a moment helps. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
}

/** Work that only so many may do at once. */
export type FairQueue = {
  /**
   * Does the work when its turn comes. Callers take turns, so that one with a long list holds nobody up.
   *
   * @throws {QueueFullError} when the queue is full
   */
  run<T>(caller: string, work: () => Promise<T>): Promise<T>;
  /** How many wait for their turn. */
  waiting(): number;
};

type Waiter = { begin: () => void; refuse: (error: QueueFullError) => void };

/**
 * @param options.atOnce how much work is under way at once
 * @param options.maxWaiting how much work waits; when more comes, the caller with the most waiting loses its last
 */
export const createFairQueue = ({
  atOnce,
  maxWaiting,
}: {
  atOnce: number;
  maxWaiting: number;
}): FairQueue => {
  /** By caller; the first one has the next turn. */
  const waiting = new Map<string, Waiter[]>();
  let running = 0;
  let count = 0;

  const longest = (): Waiter[] =>
    [...waiting.values()].reduce((most, each) => (each.length > most.length ? each : most));

  const wait = (caller: string): Promise<void> =>
    new Promise((begin, refuse) => {
      const own = waiting.get(caller) ?? [];
      if (count >= maxWaiting) {
        const most = longest();
        if (most.length <= own.length + 1) return refuse(new QueueFullError('too much waits already'));
        most.pop()?.refuse(new QueueFullError('another caller needed the place'));
        count--;
      }
      own.push({ begin, refuse });
      waiting.set(caller, own);
      count++;
    });

  const goOn = (): void => {
    const next = waiting.entries().next().value;
    if (next === undefined) return void running--;
    const [caller, own] = next;
    const waiter = own.shift();
    waiting.delete(caller);
    if (own.length > 0) waiting.set(caller, own);
    count--;
    waiter?.begin();
  };

  return {
    async run(caller, work) {
      if (running >= atOnce) await wait(caller);
      else running++;
      try {
        return await work();
      } finally {
        goOn();
      }
    },
    waiting: () => count,
  };
};
