import { Refusal, type ResourceLimit } from '@chairside/domain';
import type { Limit, LimitState } from '@chairside/queue';

/**
 * Creates the refusal of a request that exceeds a rate limit.
 *
 * @param limit the id of the limit, as in docs/limits.md and in the metrics
 * @param what a sentence that states the limit
 */
export const tooManyRequests = (
  limit: string,
  what: string,
  { resetSeconds }: Pick<LimitState, 'resetSeconds'>,
): Refusal =>
  new Refusal('TooManyRequests', `${what} Try again in ${resetSeconds} s.`, {
    retryAfter: resetSeconds,
    limit,
  });

const PERIODS: Readonly<Record<number, string>> = { 60: 'per minute', 3600: 'per hour' };

/** Creates the row of docs/limits.md for a rate limit. */
export const callLimit = (
  id: string,
  part: ResourceLimit['part'],
  resource: string,
  { calls, seconds }: Limit,
): ResourceLimit => ({
  id,
  part,
  resource,
  value: calls,
  unit: PERIODS[seconds] ?? `in each ${seconds} s`,
  beyond: '429 TooManyRequests',
  metric: 'chairside_api_refusals_total',
});
