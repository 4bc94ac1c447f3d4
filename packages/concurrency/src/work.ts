import { AsyncLocalStorage } from 'node:async_hooks';
import { ServiceError } from '@chairside/domain';

/** Maximum time for which a process computes for one request, in milliseconds. Waiting does not count. */
export const MAX_WORK_MS = 500;

/** How long a loop runs before other work of the process runs, in milliseconds. */
export const SLICE_MS = 10;

/** How long the steps of one caller run in a slice, in milliseconds. The last one may take longer. */
const STEPS_MS = 3;

/**
 * What the process computes for a request: the milliseconds so far, the organization that has sent it, and whether each step
 * waits for a slice (see {@link inSlices}).
 */
export type Work = { ms: number; caller?: string; isInSlices?: true };

const works = new AsyncLocalStorage<Work>();

/** Begins something, and returns whether the slice has room for more of the same caller. */
type Begin = () => boolean;

/** What waits for a slice, of each caller, in the order of the callers' turns. */
const waiting = new Map<string, Begin[]>();

/** Begins one slice in each round of the event loop, so that whatever has become ready waits for one slice at most. */
const beginNext = (): void => {
  for (const [caller, own] of waiting) {
    const began = performance.now();
    let begun = 0;
    while (own[begun++]?.() && performance.now() - began < STEPS_MS);
    waiting.delete(caller);
    if (begun < own.length) waiting.set(caller, own.slice(begun));
    if (waiting.size > 0) setImmediate(beginNext);
    return;
  }
};

const wait = (caller: string, begin: Begin): void => {
  if (waiting.size === 0) setImmediate(beginNext);
  const own = waiting.get(caller);
  if (own === undefined) waiting.set(caller, [begin]);
  else own.push(begin);
};

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
      await new Promise<void>((begin) => {
        wait(works.getStore()?.caller ?? '', () => {
          begin();
          return false;
        });
      });
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

/** From now on, each {@link step} of this request waits for a slice: it makes many, and others are not to wait for all. */
export const inSlices = (): void => {
  const work = works.getStore();
  if (work !== undefined) work.isInSlices = true;
};

/** Computes like {@link counted}: at once, or in the next slice of the caller if the request makes many steps. */
export const step = <T>(compute: () => T): T | Promise<T> => {
  const work = works.getStore();
  if (!work?.isInSlices || isCounting) return counted(compute);
  return new Promise((resolve, reject) => {
    wait(work.caller ?? '', () => {
      try {
        resolve(works.run(work, () => counted(compute)));
      } catch (error) {
        reject(error);
      }
      return true;
    });
  });
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
