import { type ChairsideError, isUnsent } from './errors.ts';

/**
 * How many times a request is sent, and how long the waits in between may be.
 *
 * @example
 * const patient: RetryOptions = { maxAttempts: 10, maxDelay: 120_000 };
 */
export interface RetryOptions {
  /** The maximum number of times that a request is sent, including the first time. Default: 5. */
  maxAttempts?: number | undefined;
  /**
   * The longest wait before an attempt, in milliseconds. A wait of `Retry-After` can be up to 1,000 longer, because of
   * jitter. If `Retry-After` itself is longer, the call fails at once with the error of the response. Default: 60,000.
   */
  maxDelay?: number | undefined;
}

export type RetryPolicy = { maxAttempts: number; maxDelay: number };
export const DEFAULT_RETRY: RetryPolicy = { maxAttempts: 5, maxDelay: 60_000 };

/** The first wait without `Retry-After`, before jitter, in milliseconds. Each further wait is twice as long. */
const FIRST_DELAY_MS = 500;
/**
 * The maximum time that is added to `Retry-After`, in milliseconds, so that callers do not all retry at the same time.
 */
const SPREAD = 1000;

/**
 * Statuses after which the same request may succeed later. A proxy responds with 502 or 504 if it gets no response from
 * the api.
 */
const TEMPORARY = new Set([408, 429, 502, 503, 504]);

/** Whether the same request may succeed later. */
export const isTemporary = ({ name, status, retryAfter }: ChairsideError): boolean =>
  status === undefined
    ? name === 'ConnectionError' || name === 'TimeoutError'
    : // A 409 with Retry-After: the first request with this Idempotency-Key is still running.
      TEMPORARY.has(status) || (status === 409 && retryAfter !== undefined);

/**
 * A wait that doubles with each attempt, up to `longest`. Because of jitter, the result is between half of it and all
 * of it.
 */
export const backoff = (attempt: number, first: number, longest: number, random: number): number =>
  Math.min(longest, first * 2 ** (attempt - 1)) * (0.5 + random / 2);

/** `Retry-After` with jitter, or the backoff; in milliseconds. */
export const delayOf = (
  { retryAfter }: ChairsideError,
  attempt: number,
  longest: number,
  random: number,
): number =>
  retryAfter === undefined
    ? backoff(attempt, FIRST_DELAY_MS, longest, random)
    : retryAfter * 1000 + random * SPREAD;

/**
 * Decides whether a request is sent again.
 *
 * @param attempt the number of attempts so far
 * @param isRepeatable whether it may be sent again after it may have reached the service
 * @returns the wait in milliseconds, or undefined to give up
 */
export const retryDelay = (
  error: ChairsideError,
  attempt: number,
  isRepeatable: boolean,
  { maxAttempts, maxDelay }: RetryPolicy,
  random: number,
): number | undefined => {
  if (attempt >= maxAttempts || !isTemporary(error)) return undefined;
  if (!isRepeatable && !isUnsent(error)) return undefined;
  if ((error.retryAfter ?? 0) * 1000 > maxDelay) return undefined;
  return delayOf(error, attempt, maxDelay, random);
};
