import { Refusal, type ResourceLimit } from '@chairside/domain';
import type { Limit, LimitState, RateLimiter } from '@chairside/queue';

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

/**
 * Counts a call.
 *
 * @param refusal the id of the limit and the sentence that states it, as for {@link tooManyRequests}
 * @throws {Refusal} TooManyRequests if the call exceeds the limit
 */
export const countCall = async (
  limiter: Pick<RateLimiter, 'take'>,
  key: string,
  calls: Limit,
  { limit, what }: { limit: string; what: string },
): Promise<void> => {
  const state = await limiter.take(key, calls);
  if (!state.isAllowed) throw tooManyRequests(limit, what, state);
};

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
