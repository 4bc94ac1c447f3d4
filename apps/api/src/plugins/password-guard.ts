import { createHash } from 'node:crypto';
import { Refusal } from '@chairside/domain';
import type { Limit, LimitState, RateLimiter } from '@chairside/queue';

const MINUTE = 60;
const HOUR = 3600;

/** The limits of everything that checks a password (decisions: Principals). */
export const PASSWORD_LIMITS = {
  /** Failures of one e-mail from one network. */
  pair: { calls: 5, seconds: MINUTE },
  /** Failures from one network, whatever the e-mail. */
  network: { calls: 50, seconds: MINUTE },
  /** Failures of one e-mail, whatever the network. */
  email: { calls: 50, seconds: MINUTE },
  /** Successes of one e-mail: each costs a hash, a session and an audit entry. */
  success: { calls: 300, seconds: HOUR },
} as const satisfies Record<string, Limit>;

/** A counter's key never contains the address or the e-mail: they are personal data, and Redis must hold none. */
export const limitKey = (kind: string, ...parts: string[]): string =>
  `${kind}:${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`;

export const tooManyRequests = (what: string, { resetSeconds }: LimitState): Refusal =>
  new Refusal('TooManyRequests', `${what} Try again in ${resetSeconds} s.`, { retryAfter: resetSeconds });

/** Who enters a password, and from where. */
export type PasswordCaller = {
  /** The e-mail address, or the id of the operator who is signed in already. */
  name: string;
  /** The caller's network, as `networkOf` returns it. */
  network: string;
};

/** Guards passwords against guessing, without letting a stranger lock somebody out. */
export type PasswordGuard = {
  /**
   * Counts the attempt before the password is checked, so that attempts under way at the same time cannot pass the
   * limit together, and gives back what the result makes wrong: failures when the password was right, the success
   * when it was not, everything when the check itself failed.
   *
   * @param isKnown whether this caller has signed in from this network before; asked only when the limit of the e-mail
   *   alone is reached, which then does not apply
   * @param check resolves with undefined when the password is wrong
   * @throws {Refusal} TooManyRequests, before the check is made
   */
  attempt<T>(
    caller: PasswordCaller,
    isKnown: () => Promise<boolean>,
    check: () => Promise<T | undefined>,
  ): Promise<T | undefined>;
};

type Counter = { key: string; limit: Limit };

export const createPasswordGuard = (limiter: Pick<RateLimiter, 'take' | 'giveBack'>): PasswordGuard => {
  const giveBack = (counters: readonly Counter[]) =>
    Promise.all(counters.map(({ key, limit }) => limiter.giveBack(key, limit)));

  return {
    async attempt({ name, network }, isKnown, check) {
      const email = name.toLowerCase();
      const pair = { key: limitKey('password', email, network), limit: PASSWORD_LIMITS.pair };
      const ofNetwork = { key: limitKey('password-network', network), limit: PASSWORD_LIMITS.network };
      const ofEmail = { key: limitKey('password-email', email), limit: PASSWORD_LIMITS.email };
      const success = { key: limitKey('password-success', email), limit: PASSWORD_LIMITS.success };
      const taken: Counter[] = [];
      /** @returns the state of a counter that is exceeded */
      const take = async (counter: Counter): Promise<LimitState | undefined> => {
        taken.push(counter);
        const state = await limiter.take(counter.key, counter.limit);
        return state.isAllowed ? undefined : state;
      };
      const takeOfEmail = async () => {
        const exceeded = await take(ofEmail);
        return exceeded !== undefined && (await isKnown()) ? undefined : exceeded;
      };
      let result: Awaited<ReturnType<typeof check>>;
      try {
        // One after the other, the narrowest first: what one network is refused must not count against the e-mail.
        const exceeded =
          (await take(pair)) ?? (await take(ofNetwork)) ?? (await takeOfEmail()) ?? (await take(success));
        if (exceeded !== undefined) throw tooManyRequests('Too many attempts with a password.', exceeded);
        result = await check();
      } catch (error) {
        await giveBack(taken);
        throw error;
      }
      await giveBack(result === undefined ? [success] : [pair, ofNetwork, ofEmail]);
      return result;
    },
  };
};
