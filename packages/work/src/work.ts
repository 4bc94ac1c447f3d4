import { AsyncLocalStorage } from 'node:async_hooks';
import { ServiceError } from '@chairside/domain';

/** Maximum time for which a process computes for one request, in milliseconds. Waiting does not count. */
export const MAX_WORK_MS = 500;

/** How long a loop runs before other work of the process runs, in milliseconds. */
export const SLICE_MS = 10;

/** The milliseconds that the process has computed for a request so far, and the organization that has sent it. */
export type Work = { ms: number; caller?: string };

const works = new AsyncLocalStorage<Work>();

/** The loops of each caller that wait for their next slice, in the order of the callers' turns. */
const waiting = new Map<string, (() => void)[]>();

/** Begins one slice in each round of the event loop, so that whatever has become ready waits for one slice at most. */
const beginNext = (): void => {
  for (const [caller, [first, ...others]] of waiting) {
    waiting.delete(caller);
    if (others.length > 0) waiting.set(caller, others);
    if (waiting.size > 0) setImmediate(beginNext);
    first?.();
    return;
  }
};

const nextSlice = (caller = ''): Promise<void> =>
  new Promise((begin) => {
    if (waiting.size === 0) setImmediate(beginNext);
    waiting.set(caller, [...(waiting.get(caller) ?? []), begin]);
  });

/**
 * The slices of a loop: it awaits `pause` when its slice `isOver`. One loop of a process has a slice at a time, and the
 * callers of requests take turns, however many loops each of them has.
 */
export const startSlice = () => {
  let began = performance.now();
  return {
    isOver: (): boolean => performance.now() - began >= SLICE_MS,
    /** Lets other work of the process run. */
    async pause(): Promise<void> {
      await nextSlice(works.getStore()?.caller);
      began = performance.now();
    },
  };
};

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
