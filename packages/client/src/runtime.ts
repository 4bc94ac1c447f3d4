import type { Signal } from './globals.ts';

/** The clock, the waits and the random numbers. Tests replace them. */
export interface Runtime {
  /** Milliseconds since 1970. */
  now(): number;
  /** A random number from 0 to 1. */
  random(): number;
  /**
   * Resolves after this many milliseconds; the maximum is 24 days. Rejects with the reason of the signal when it is
   * aborted.
   */
  sleep(milliseconds: number, signal: Signal | undefined): Promise<void>;
}

/** The longest delay that `setTimeout` supports. A longer delay would end at once. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1;

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
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', stop);
          resolve();
        },
        Math.min(milliseconds, MAX_TIMEOUT_MS),
      );
      signal?.addEventListener('abort', stop);
    }),
};

/**
 * Creates a controller that is aborted together with the signal of the caller. `release` removes the listener.
 *
 * @internal
 */
export const followSignal = (signal: Signal | undefined) => {
  const controller = new AbortController();
  const stop = () => controller.abort(signal?.reason);
  if (signal?.aborted) stop();
  else signal?.addEventListener('abort', stop);
  return { controller, release: () => signal?.removeEventListener('abort', stop) };
};
