import { Refusal, ServiceError } from '@chairside/domain';
import { createTally } from './tally.ts';

/** Thrown when the queue has no room for more work, or no turn for it in time. A later retry may succeed. */
export class QueueFullError extends ServiceError {
  override readonly name = 'QueueFullError';
  /**
   * Whether the caller of the task has its share already: of the running tasks, or of the waiting ones, which callers
   * share equally. Otherwise the queue is full because of other callers.
   */
  readonly isCallers: boolean;

  constructor(message: string, isCallers: boolean) {
    super(message);
    this.isCallers = isCallers;
  }
}

/** Finds the full queue behind an error: the error itself, or a cause of it. */
export const fullQueueBehind = (error: unknown): QueueFullError | undefined => {
  if (error instanceof QueueFullError) return error;
  return error instanceof Error ? fullQueueBehind(error.cause) : undefined;
};

/**
 * Turns the error of a full queue into a refusal: 429 if the caller has its share, otherwise 503. Returns every other
 * error unchanged.
 *
 * @param options.what what waits, in the plural, such as `requests`
 * @param options.whose the caller of the queue, such as `network`
 * @param options.retryAfter in seconds
 */
export const refusalOfFullQueue = (
  error: unknown,
  { what, whose, retryAfter, limit }: { what: string; whose: string; retryAfter: number; limit: string },
): unknown => {
  if (!(error instanceof QueueFullError)) return error;
  const options = { retryAfter, limit, cause: error };
  return error.isCallers
    ? new Refusal(
        'TooManyRequests',
        `Too many ${what} of your ${whose} wait. Send fewer at once, and try again in ${retryAfter} s.`,
        options,
      )
    : new Refusal('ServiceUnavailable', `Too many ${what} wait. Try again in ${retryAfter} s.`, options);
};

/** What is beyond the limit on the waiting tasks of a queue whose errors become refusals, for docs/limits.md. */
export const beyondFullQueue = (caller: string): string =>
  `429 TooManyRequests for ${caller} that has its share, otherwise 503 ServiceUnavailable`;

/** Limits how many tasks run at the same time. */
export type FairQueue = {
  /**
   * Runs the work when its turn comes. Callers take turns, and each of them starts one task in a turn, or several whose
   * weight is together that of the heaviest task so far.
   *
   * @param weight how much of `atOnce` and `atOnceOfCaller` the task takes: at most all of it. Default: 1
   * @throws {QueueFullError} when the queue is full, when the waiting task must make room for that of another caller, or
   *   when it has waited for too long; errors of the work are passed on
   */
  run<T>(caller: string, work: () => Promise<T>, weight?: number): Promise<T>;
  /** Whether a task of this caller runs or waits. */
  isUsedBy(caller: string): boolean;
  /** The number of waiting tasks. */
  waiting(): number;
};

export type FairQueueOptions = {
  /** The maximum weight of the tasks that run at the same time. */
  atOnce: number;
  /** The maximum weight of the tasks of one caller that run at the same time. Default: no limit besides `atOnce`. */
  atOnceOfCaller?: number;
  /**
   * The maximum number of waiting tasks. When the queue is full, the last task of the caller with the most waiting
   * tasks is refused.
   */
  maxWaiting: number;
  /** How long a task may wait. Default: no limit. */
  maxWaitMs?: number;
};

type Waiter = {
  weight: number;
  begin: () => void;
  refuse: (error: QueueFullError) => void;
  /** Ends the wait if no turn comes in time. */
  timer?: NodeJS.Timeout;
};

export const createFairQueue = ({
  atOnce,
  atOnceOfCaller = atOnce,
  maxWaiting,
  maxWaitMs,
}: FairQueueOptions): FairQueue => {
  /** The waiting tasks of each caller, in the order of the callers' turns. */
  const waiting = new Map<string, Waiter[]>();
  /** The weight of the running tasks of each caller. */
  const running = createTally();
  let count = 0;
  /** The weight that a caller may begin in its turn. Otherwise callers with light tasks would get less than others. */
  let ofTurn = 1;
  /** The caller whose turn has begun, and what is left of it. */
  let turn: { caller: string; left: number } | undefined;

  const isIts = (caller: string, weight: number): boolean => running.of(caller) + weight <= atOnceOfCaller;
  const fits = (weight: number): boolean => running.total() + weight <= atOnce;
  /** A new task must not pass one that only waits until it fits. */
  const isAnotherNext = (): boolean => {
    for (const [caller, [first]] of waiting)
      if (first !== undefined && isIts(caller, first.weight)) return true;
    return false;
  };
  const mayBegin = (caller: string, weight: number): boolean =>
    fits(weight) && isIts(caller, weight) && !isAnotherNext();

  /**
   * Whether a caller has its share, so that its next task is refused because of its own ones.
   *
   * @param own the number of its waiting tasks
   * @param callers the number of callers whose tasks wait, with the one whose task is new
   */
  const hasItsShare = (caller: string, weight: number, own: number, callers: number): boolean =>
    !isIts(caller, weight) || own >= maxWaiting / callers;

  const longest = (): readonly [string, Waiter[]] =>
    [...waiting].reduce((most, each) => (each[1].length > most[1].length ? each : most));

  /** Removes a task that has waited for too long. */
  const remove = (caller: string, waiter: Waiter): void => {
    const others = (waiting.get(caller) ?? []).filter((each) => each !== waiter);
    if (others.length > 0) waiting.set(caller, others);
    else waiting.delete(caller);
    count--;
  };

  const wait = (caller: string, weight: number): Promise<void> =>
    new Promise((begin, refuse) => {
      const own = waiting.get(caller) ?? [];
      if (count >= maxWaiting) {
        const callers = waiting.size + (own.length === 0 ? 1 : 0);
        const [greediest, most] = longest();
        if (most.length <= own.length + 1)
          return refuse(
            new QueueFullError('The queue is full.', hasItsShare(caller, weight, own.length, callers)),
          );
        const last = most.pop() as Waiter;
        clearTimeout(last.timer);
        const isCallers = hasItsShare(greediest, last.weight, most.length, callers);
        last.refuse(new QueueFullError('The queue is full, and another caller needed the place.', isCallers));
        count--;
      }
      const waiter: Waiter = { weight, begin, refuse };
      own.push(waiter);
      waiting.set(caller, own);
      count++;
      if (maxWaitMs === undefined) return;
      waiter.timer = setTimeout(() => {
        remove(caller, waiter);
        next();
        // The work before it is slow, which need not be due to the caller.
        refuse(new QueueFullError(`No turn has come within ${maxWaitMs} ms.`, false));
      }, maxWaitMs);
    });

  const begin = (caller: string, { weight, timer, begin: resolve }: Waiter): void => {
    count--;
    running.add(caller, weight);
    clearTimeout(timer);
    resolve();
  };

  /**
   * Begins the tasks of a caller in its turn.
   *
   * @returns whether it had a turn; undefined if the next task waits until it fits
   */
  const beginTurn = (caller: string, own: Waiter[]): boolean | undefined => {
    let hasTurn = turn?.caller === caller;
    let left = turn !== undefined && hasTurn ? turn.left : ofTurn;
    turn = undefined;
    for (let first = own[0]; first !== undefined && first.weight <= left; first = own[0]) {
      if (!isIts(caller, first.weight)) break;
      if (!fits(first.weight)) {
        if (hasTurn) turn = { caller, left };
        return undefined;
      }
      hasTurn = true;
      left -= first.weight;
      own.shift();
      begin(caller, first);
    }
    return hasTurn;
  };

  /** Begins the tasks whose turn has come. */
  const next = (): void => {
    for (const [caller, own] of waiting) {
      const hadTurn = beginTurn(caller, own);
      if (hadTurn === undefined) return;
      if (!hadTurn) continue;
      // The caller has had its turn, so it moves to the end of the queue.
      waiting.delete(caller);
      if (own.length > 0) waiting.set(caller, own);
    }
  };

  return {
    async run(caller, work, weight = 1) {
      ofTurn = Math.max(ofTurn, weight);
      if (mayBegin(caller, weight)) running.add(caller, weight);
      else await wait(caller, weight);
      try {
        return await work();
      } finally {
        running.add(caller, -weight);
        next();
      }
    },
    isUsedBy: (caller) => running.of(caller) > 0 || waiting.has(caller),
    waiting: () => count,
  };
};
