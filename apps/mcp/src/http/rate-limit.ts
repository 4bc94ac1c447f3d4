import { Refusal, type ResourceLimit } from '@chairside/domain';
import type { Limit } from '@chairside/queue';
import type { onRequestAsyncHookHandler } from 'fastify';
import type { Dependencies } from '../context.ts';

/** Maximum number of requests of one grant. A grant belongs to one assistant that an administrator has connected. */
const REQUESTS: Limit = { calls: 120, seconds: 60, inAdvance: true };

export const grantLimits: readonly ResourceLimit[] = [
  {
    id: 'requests_of_grant',
    part: 'Connected apps',
    resource: 'Requests of one connected app',
    value: REQUESTS.calls,
    unit: `in each ${REQUESTS.seconds} s`,
    beyond: '429 TooManyRequests',
  },
];

/** Limits the requests of each grant, in all processes together. Runs after the access token was checked. */
export const limitGrant =
  ({ limiter }: Pick<Dependencies, 'limiter'>): onRequestAsyncHookHandler =>
  async ({ grant }, reply) => {
    if (grant === null) return;
    const { calls, seconds } = REQUESTS;
    const { isAllowed, remaining, resetSeconds } = await limiter.take(`connector:${grant.grantId}`, REQUESTS);
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
