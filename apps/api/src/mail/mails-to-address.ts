import type { ResourceLimit } from '@chairside/domain';
import { counterKey, type LimitState, type RateLimiter } from '@chairside/queue';
import { callLimit } from '../http/rate-limit-refusal.ts';

/** How many mails of a kind one e-mail address gets because somebody asks for them. */
const LIMITS = [
  { calls: 1, seconds: 300 },
  { calls: 5, seconds: 24 * 3600 },
] as const;

/** The kinds of mails, and what their limits are named after. */
const KINDS = { reset: 'resets_of_email', invitation: 'invitations_of_email' } as const;
type Kind = keyof typeof KINDS;

const idOf = (kind: Kind, { seconds }: (typeof LIMITS)[number]): string =>
  seconds > 300 ? `${KINDS[kind]}_daily` : KINDS[kind];

/** The rows for docs/limits.md. */
export const mailsToAddressLimits = (kind: Kind, resource: string): ResourceLimit[] =>
  LIMITS.map((limit) => callLimit(idOf(kind, limit), 'Signing in', resource, limit));

/** @returns the limit that is reached, if one is */
export const takeMailTo = async (
  limiter: Pick<RateLimiter, 'take'>,
  kind: Kind,
  email: string,
): Promise<{ id: string; state: LimitState } | undefined> => {
  for (const limit of LIMITS) {
    const state = await limiter.take(counterKey(kind, String(limit.seconds), email.toLowerCase()), limit);
    if (!state.isAllowed) return { id: idOf(kind, limit), state };
  }
  return undefined;
};
