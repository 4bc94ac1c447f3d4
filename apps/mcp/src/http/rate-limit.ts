import { Refusal, type ResourceLimit } from '@chairside/domain';
import type { Limit } from '@chairside/queue';
import type { FastifyReply } from 'fastify';
import type { Dependencies, Grant } from '../context.ts';

/**
 * Maximum number of requests of one grant in a minute. A grant belongs to one assistant that an administrator has
 * connected.
 */
const REQUESTS: Limit = { calls: 120, seconds: 60, inAdvance: true };

export const grantLimits: readonly ResourceLimit[] = [
  {
    id: 'requests_of_grant',
    part: 'Connected apps',
    resource: 'Requests of one connected app',
    value: REQUESTS.calls,
    unit: 'per minute',
    beyond: '429 TooManyRequests',
  },
];

/**
 * Counts a request of a grant, and sets the headers that show the limit. All processes count together while Redis is
 * reachable.
 *
 * @throws {Refusal} TooManyRequests
 */
export const limitGrant = async (
  { limiter }: Pick<Dependencies, 'limiter'>,
  { grantId }: Grant,
  reply: FastifyReply,
): Promise<void> => {
  const { calls, seconds } = REQUESTS;
  const { isAllowed, remaining, resetSeconds } = await limiter.take(`connector:${grantId}`, REQUESTS);
  reply
    .header('RateLimit-Policy', `"grant";q=${calls};w=${seconds}`)
    .header('RateLimit', `"grant";r=${remaining};t=${resetSeconds}`);
  if (isAllowed) return;
  throw new Refusal(
    'TooManyRequests',
    `This connection may make at most ${calls} requests in ${seconds} s. Try again in ${resetSeconds} s.`,
    { retryAfter: resetSeconds, limit: 'requests_of_grant' },
  );
};
