import type { ResourceLimit } from '@chairside/domain';
import { networkOf, siteOf } from '@chairside/http-server';
import { counterKey, type RateLimiter } from '@chairside/queue';
import type { FastifyRequest } from 'fastify';
import { callLimit, countCall } from '../http/rate-limit-refusal.ts';

const MINUTE = 60;
/** Each request costs statements of the database, and needs neither a session nor a password. */
const LIMITS = {
  network: { id: 'answers_of_network', calls: 60, seconds: MINUTE },
  site: { id: 'answers_of_site', calls: 240, seconds: MINUTE },
} as const;

export const answerLimits: readonly ResourceLimit[] = [
  callLimit(
    LIMITS.network.id,
    'Signing in',
    'Sign-ins by passkey that one network begins, and answers to challenges that it sends',
    LIMITS.network,
  ),
  callLimit(LIMITS.site.id, 'Signing in', 'The same for one IPv6 /48', LIMITS.site),
];

/** Counts requests that begin a sign-in by passkey or answer a challenge. @throws {Refusal} TooManyRequests */
export const countAnswers =
  (limiter: Pick<RateLimiter, 'take'>) =>
  async ({ callerAddress }: Pick<FastifyRequest, 'callerAddress'>): Promise<void> => {
    const counters = [
      [LIMITS.network, counterKey('answer-network', networkOf(callerAddress))],
      [LIMITS.site, counterKey('answer-site', siteOf(callerAddress))],
    ] as const;
    for (const [limit, key] of counters)
      await countCall(limiter, key, limit, {
        limit: limit.id,
        what: `A network may send ${limit.calls} of these requests a minute.`,
      });
  };
