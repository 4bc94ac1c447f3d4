import type { ResourceLimit } from '@chairside/domain';
import { counterKey, type Limit, type LimitState, type RateLimiter } from '@chairside/queue';
import { callLimit, tooManyRequests } from '../http/rate-limit-refusal.ts';

const MINUTE = 60;
const HOUR = 3600;

type PasswordLimit = Limit & { id: string; what: string };

/** The limits of all routes that check a password, in the order in which an attempt is counted against them. */
const LIMITS = {
  pair: {
    id: 'passwords_of_pair',
    what: 'Wrong passwords for one e-mail address from one network',
    calls: 5,
    seconds: MINUTE,
  },
  network: {
    id: 'passwords_of_network',
    what: 'Wrong passwords from one network',
    calls: 50,
    seconds: MINUTE,
  },
  site: {
    id: 'passwords_of_site',
    what: 'Wrong passwords from one IPv6 /48, because one caller can use all its /64 networks',
    calls: 200,
    seconds: MINUTE,
  },
  email: {
    id: 'passwords_of_email',
    what: 'Wrong passwords for one e-mail address, except from networks from which its operator has signed in before',
    calls: 50,
    seconds: MINUTE,
  },
  success: {
    id: 'passwords_right',
    what: 'Correct passwords for one e-mail address, because each costs a hash and an audit entry',
    calls: 300,
    seconds: HOUR,
  },
} as const satisfies Record<string, PasswordLimit>;

export const passwordGuardLimits: readonly ResourceLimit[] = Object.values(LIMITS).map(
  ({ id, what, ...limit }) => callLimit(id, 'Signing in', what, limit),
);

/** The operator who enters a password, and the network of the request. */
export type PasswordCaller = {
  /** The e-mail address that the operator signs in with. */
  name: string;
  /** The network and the site of the caller, as `networkOf` and `siteOf` return them. */
  network: string;
  site: string;
};

/**
 * Protects passwords against guessing. A stranger cannot lock operators out of the networks from which they have signed
 * in before, unless the stranger is in the same network.
 */
export type PasswordGuard = {
  /**
   * Checks a password within the limits. The attempt is counted as a failure and as a success before the check,
   * so that concurrent attempts cannot exceed a limit together. After the check, the guard subtracts the wrong
   * counts again: the failures if the password is correct, the success if it is wrong, and both if the check
   * itself fails.
   *
   * @param isKnown returns whether the operator has signed in from this network before. It is called only if the
   * limit of the e-mail address is reached. That limit does not apply to a known network.
   * @param check resolves with undefined if the password is wrong
   * @throws {Refusal} TooManyRequests, before the check
   */
  attempt<T>(
    caller: PasswordCaller,
    isKnown: () => Promise<boolean>,
    check: () => Promise<T | undefined>,
  ): Promise<T | undefined>;
};

type Counter = { key: string; limit: PasswordLimit };
type Exceeded = { counter: Counter; state: LimitState };

export const createPasswordGuard = (limiter: Pick<RateLimiter, 'take' | 'refund'>): PasswordGuard => {
  const refund = (counters: readonly Counter[]) =>
    Promise.all(counters.map(({ key, limit }) => limiter.refund(key, limit)));

  return {
    async attempt({ name, network, site }, isKnown, check) {
      const email = name.toLowerCase();
      const pair = { key: counterKey('password', email, network), limit: LIMITS.pair };
      const ofNetwork = { key: counterKey('password-network', network), limit: LIMITS.network };
      const ofSite = { key: counterKey('password-site', site), limit: LIMITS.site };
      const ofEmail = { key: counterKey('password-email', email), limit: LIMITS.email };
      const success = { key: counterKey('password-right', email), limit: LIMITS.success };
      const taken: Counter[] = [];
      const take = async (counter: Counter): Promise<Exceeded | undefined> => {
        taken.push(counter);
        const state = await limiter.take(counter.key, counter.limit);
        return state.isAllowed ? undefined : { counter, state };
      };
      const takeOfEmail = async () => {
        const exceeded = await take(ofEmail);
        return exceeded !== undefined && (await isKnown()) ? undefined : exceeded;
      };
      let result: Awaited<ReturnType<typeof check>>;
      try {
        // The limits are counted one after the other, the narrowest limit first. So an attempt that is
        // refused because of its network does not count against the e-mail address.
        const exceeded =
          (await take(pair)) ??
          (await take(ofNetwork)) ??
          (await take(ofSite)) ??
          (await takeOfEmail()) ??
          (await take(success));
        if (exceeded !== undefined) {
          const { counter, state } = exceeded;
          // The refused attempt stays counted under the exceeded limit: repeated attempts must not lower its counter.
          taken.splice(taken.indexOf(counter), 1);
          throw tooManyRequests(counter.limit.id, 'Too many password attempts.', state);
        }
        result = await check();
      } catch (error) {
        await refund(taken);
        throw error;
      }
      await refund(result === undefined ? [success] : [pair, ofNetwork, ofSite, ofEmail]);
      return result;
    },
  };
};
