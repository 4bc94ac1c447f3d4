import type { Signal } from './globals.ts';

/** The clock and the source of random numbers, so that tests can replace them. */
export interface Runtime {
  /** Milliseconds since 1970. */
  now(): number;
  /** From 0 to 1. */
  random(): number;
  /** Resolves after so many milliseconds. Rejects with the reason of the signal when it is aborted. */
  sleep(milliseconds: number, signal: Signal | undefined): Promise<void>;
}

export const realRuntime: Runtime = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      }, milliseconds);
      signal?.addEventListener('abort', stop);
    }),
};

/**
 * A signal that this package aborts, and that is also aborted with the signal of the caller. Call `release` when
 * it is no longer needed.
 */
export const followSignal = (signal: Signal | undefined) => {
  const controller = new AbortController();
  const stop = () => controller.abort(signal?.reason);
  if (signal?.aborted) stop();
  else signal?.addEventListener('abort', stop);
  return { controller, release: () => signal?.removeEventListener('abort', stop) };
};
