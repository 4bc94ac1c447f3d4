import {
  ACCESS_TOKEN_RATE_LIMIT,
  DEFAULT_RATE_LIMIT,
  type Principal,
  type ResourceLimit,
} from '@chairside/domain';
import { networkOf } from '@chairside/http-server';
import { counterKey, type Limit, type RateLimiter } from '@chairside/queue';
import type { FastifyInstance } from 'fastify';
import { callLimit, tooManyRequests } from './rate-limit-refusal.ts';

/** The window of the limits in this file, in seconds. */
const WINDOW = 60;
/** Maximum number of responses with 401 to one network in a window. */
const REJECTIONS: Limit = { calls: 300, seconds: WINDOW };

const ofPrincipals = (calls: number): Limit => ({ calls, seconds: WINDOW, inAdvance: true });
export const rateLimits: readonly ResourceLimit[] = [
  callLimit(
    'requests_of_key',
    'Connections and requests',
    'Requests of one API key, unless the key has its own limit',
    ofPrincipals(DEFAULT_RATE_LIMIT),
  ),
  callLimit(
    'requests_of_token',
    'Connections and requests',
    'Requests of one access token or program token',
    ofPrincipals(ACCESS_TOKEN_RATE_LIMIT),
  ),
  callLimit('rejections', 'Signing in', 'Responses with 401 to one network', REJECTIONS),
];

/** The counter of a principal, and how many requests the principal may make in a window. */
const limitOf = (principal: Principal) =>
  principal.kind === 'apiKey'
    ? { name: 'key', id: principal.id, calls: principal.rateLimit, who: 'This API key' }
    : {
        name: 'token',
        id: principal.kind === 'operator' ? principal.sessionId : principal.id,
        calls: ACCESS_TOKEN_RATE_LIMIT,
        who: 'This access token',
      };

/**
 * Limits the requests of each API key and each access token, and sets the headers `RateLimit-Policy` and `RateLimit`
 * (IETF draft-ietf-httpapi-ratelimit-headers).
 */
export const rateLimit = (app: FastifyInstance, limiter: RateLimiter): void => {
  app.addHook('onRequest', async ({ principal }, reply) => {
    if (principal === undefined) return;
    const { name, id, calls, who } = limitOf(principal);
    const state = await limiter.take(`${name}:${id}`, ofPrincipals(calls));
    reply
      .header('RateLimit-Policy', `"${name}";q=${calls};w=${WINDOW}`)
      .header('RateLimit', `"${name}";r=${state.remaining};t=${state.resetSeconds}`);
    if (state.isAllowed) return;
    throw tooManyRequests(
      `requests_of_${name}`,
      `${who} may make at most ${calls} requests in ${WINDOW} s.`,
      state,
    );
  });
};

/**
 * Counts the requests with invalid credentials by network. When a network exceeds the limit, such a request gets a 429
 * instead of a 401.
 */
export const createRejectionGuard = (limiter: Pick<RateLimiter, 'take'>) => ({
  async count(address: string): Promise<void> {
    const state = await limiter.take(counterKey('rejected', networkOf(address)), REJECTIONS);
    if (state.isAllowed) return;
    throw tooManyRequests(
      'rejections',
      'Too many requests from your network had invalid credentials.',
      state,
    );
  },
});
export type RejectionGuard = ReturnType<typeof createRejectionGuard>;
