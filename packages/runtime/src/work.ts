import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { ServiceError } from './service-error.ts';

/** Maximum time for which a process computes for one request, in milliseconds. Waiting does not count. */
export const MAX_WORK_MS = 500;

/** How long a loop runs before other work of the process runs, in milliseconds. */
export const TURN_MS = 10;

/** The pauses of a loop: it awaits `pause` when `isOver`. */
export const startTurn = () => {
  let began = performance.now();
  return {
    isOver: (): boolean => performance.now() - began >= TURN_MS,
    /** Lets other work of the process run. */
    async pause(): Promise<void> {
      await setImmediate();
      began = performance.now();
    },
  };
};

/** What was computed for a request so far, in milliseconds. */
export type Work = { ms: number };

const works = new AsyncLocalStorage<Work>();

/** The clock of what is computed, in milliseconds. Tests of whole pages hold it, because a slow machine ends them earlier. */
export const computing = { now: (): number => performance.now() };

/** Runs `handle`, and counts for this request what {@link counted} computes in its course. */
export const countingWork = <T>(work: Work, handle: () => T): T => works.run(work, handle);

/** Whether a call of {@link counted} is in progress. Another one inside it is part of it. */
let isCounting = false;

/**
 * Computes something without waiting, and counts the time for the request in whose course this is called. Loops over what
 * a caller or an organization has stored or sent count each of their steps.
 */
export const counted = <T>(compute: () => T): T => {
  const work = isCounting ? undefined : works.getStore();
  if (work === undefined) return compute();
  isCounting = true;
  const began = computing.now();
  try {
    return compute();
  } finally {
    work.ms += computing.now() - began;
    isCounting = false;
  }
};

/** Whether the request has had its {@link MAX_WORK_MS}. False outside requests. */
export const isWorkSpent = (): boolean => (works.getStore()?.ms ?? 0) >= MAX_WORK_MS;

/** A request needs more than {@link MAX_WORK_MS}, and has no part to respond with. */
export class WorkSpentError extends ServiceError {
  override readonly name = 'WorkSpentError';

  constructor() {
    super(`This needs more than ${MAX_WORK_MS} ms of computing. Ask for less, such as fewer days.`);
  }
}
