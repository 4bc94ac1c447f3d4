/** Thrown to work that found no place in its queue: trying again in a moment helps. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';
}

/** Work that only so many may do at once. */
export type FairQueue = {
  /**
   * Does the work when its turn comes. Callers take turns, so that one with a long list holds nobody up.
   *
   * @throws {QueueFullError} when the queue is full, and what the work throws
   */
  run<T>(caller: string, work: () => Promise<T>): Promise<T>;
  /** How many wait for their turn. */
  waiting(): number;
};

export type FairQueueOptions = {
  /** How much work is under way at once. */
  atOnce: number;
  /** How much of it may be one caller's; all of it when absent. */
  atOnceOfCaller?: number;
  /** How much work waits. When more comes, the caller with the most waiting loses its last. */
  maxWaiting: number;
};

type Waiter = { begin: () => void; refuse: (error: QueueFullError) => void };

export const createFairQueue = ({
  atOnce,
  atOnceOfCaller = atOnce,
  maxWaiting,
}: FairQueueOptions): FairQueue => {
  /** By caller, in the order of their next turns. */
  const waiting = new Map<string, Waiter[]>();
  /** How much work of each caller is under way. */
  const running = new Map<string, number>();
  let total = 0;
  let count = 0;

  const mayBegin = (caller: string): boolean => total < atOnce && (running.get(caller) ?? 0) < atOnceOfCaller;
  const change = (caller: string, by: 1 | -1): void => {
    const left = (running.get(caller) ?? 0) + by;
    total += by;
    if (left === 0) running.delete(caller);
    else running.set(caller, left);
  };

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
    for (const [caller, own] of waiting) {
      if (!mayBegin(caller)) continue;
      const waiter = own.shift();
      // This caller has had its turn: the others come first.
      waiting.delete(caller);
      if (own.length > 0) waiting.set(caller, own);
      count--;
      change(caller, 1);
      waiter?.begin();
      return;
    }
  };

  return {
    async run(caller, work) {
      if (mayBegin(caller)) change(caller, 1);
      else await wait(caller);
      try {
        return await work();
      } finally {
        change(caller, -1);
        goOn();
      }
    },
    waiting: () => count,
  };
};
