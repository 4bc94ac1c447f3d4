import { createHash } from 'node:crypto';
import { DEFAULT_RATE_LIMIT, Refusal, type ResourceLimit } from '@chairside/domain';
import type { Limit, LimitState, RateLimiter } from '@chairside/queue';
import type { FastifyInstance } from 'fastify';

/** The window of every limit, in seconds. */
const WINDOW = 60;
/** Answers of 401 that one address may get in a window. */
const REJECTIONS: Limit = { calls: 300, seconds: WINDOW };
/** Failed sign-ins: of one e-mail from one address, and of either alone. */
const SIGN_INS_OF_BOTH: Limit = { calls: 5, seconds: WINDOW };
const SIGN_INS_OF_ONE: Limit = { calls: 50, seconds: WINDOW };

/** What is counted under: never the address or the e-mail itself, which are personal data. */
const keyOf = (kind: string, ...parts: string[]): string =>
  `${kind}:${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`;

/** @param limit the id of the limit, as docs/limits.md and the metrics name it */
const tooMany = (what: string, { resetSeconds }: LimitState, limit: string): Refusal =>
  new Refusal('TooManyRequests', `${what} Try again in ${resetSeconds} s.`, {
    retryAfter: resetSeconds,
    limit,
  });

/** Guards passwords against guessing, without letting a stranger lock somebody out. */
export type PasswordGuard = {
  /**
   * @param check tells whether the password was right
   * @throws {Refusal} TooManyRequests, before the check is made
   */
  attempt<T>(email: string, address: string, check: () => Promise<T | undefined>): Promise<T | undefined>;
};

export const createPasswordGuard = (limiter: RateLimiter): PasswordGuard => ({
  async attempt(email, address, check) {
    const name = email.toLowerCase();
    const counters = [
      [keyOf('sign-in', name, address), SIGN_INS_OF_BOTH],
      [keyOf('sign-in-email', name), SIGN_INS_OF_ONE],
      [keyOf('sign-in-address', address), SIGN_INS_OF_ONE],
    ] as const;
    const states = await Promise.all(counters.map(([key, limit]) => limiter.look(key, limit)));
    const exceeded = states.find(({ isAllowed }) => !isAllowed);
    if (exceeded !== undefined)
      throw tooMany(
        'Too many failed attempts.',
        exceeded,
        states[0]?.isAllowed === false ? 'sign_ins' : 'sign_ins_of_one',
      );
    const result = await check();
    if (result === undefined) await Promise.all(counters.map(([key, limit]) => limiter.take(key, limit)));
    return result;
  },
});

/**
 * Limits each API key, with the headers `RateLimit-Policy` and `RateLimit` (IETF draft-ietf-httpapi-ratelimit-headers) on
 * every answer to it, and each address that keeps sending credentials that are not valid.
 */
export const rateLimit = (app: FastifyInstance, limiter: RateLimiter): void => {
  app.addHook('onRequest', async (request, reply) => {
    const { principal } = request;
    if (principal?.kind !== 'apiKey') return;
    const limit = { calls: principal.rateLimit, seconds: WINDOW };
    const state = await limiter.take(`key:${principal.id}`, limit);
    reply
      .header('RateLimit-Policy', `"key";q=${limit.calls};w=${WINDOW}`)
      .header('RateLimit', `"key";r=${state.remaining};t=${state.resetSeconds}`);
    if (!state.isAllowed)
      throw tooMany(
        `This API key may make ${limit.calls} requests in ${WINDOW} s.`,
        state,
        'requests_of_key',
      );
  });
};

/** Refuses an address that has been told too often that its credentials are not valid. */
export const createRejectionGuard = (limiter: RateLimiter) => ({
  async check(address: string): Promise<void> {
    const state = await limiter.look(keyOf('rejected', address), REJECTIONS);
    if (!state.isAllowed)
      throw tooMany('Too many requests with credentials that are not valid.', state, 'rejections');
  },
  async count(address: string): Promise<void> {
    await limiter.take(keyOf('rejected', address), REJECTIONS);
  },
});
export type RejectionGuard = ReturnType<typeof createRejectionGuard>;

export const rateLimits: readonly ResourceLimit[] = [
  {
    id: 'requests_of_key',
    part: 'Connections and requests',
    resource: 'Requests of one API key, unless it has a figure of its own',
    value: DEFAULT_RATE_LIMIT,
    unit: 'in each 60 s',
    beyond: '429 TooManyRequests',
    metric: 'chairside_api_refusals_total',
  },
  {
    id: 'rejections',
    part: 'Signing in',
    resource: 'Answers of 401 to one address',
    value: REJECTIONS.calls,
    unit: 'in each 60 s',
    beyond: '429 TooManyRequests',
    metric: 'chairside_api_refusals_total',
  },
  {
    id: 'sign_ins',
    part: 'Signing in',
    resource: 'Failed sign-ins of one e-mail from one address',
    value: SIGN_INS_OF_BOTH.calls,
    unit: 'in each 60 s',
    beyond: '429 TooManyRequests',
    metric: 'chairside_api_refusals_total',
  },
  {
    id: 'sign_ins_of_one',
    part: 'Signing in',
    resource: 'Failed sign-ins of one e-mail, or from one address',
    value: SIGN_INS_OF_ONE.calls,
    unit: 'in each 60 s',
    beyond: '429 TooManyRequests',
    metric: 'chairside_api_refusals_total',
  },
];
