import type { ResourceLimit } from '@chairside/domain';
import type { Limit, LimitState, RateLimiter } from '@chairside/queue';
import { callLimit, counterKey, tooManyRequests } from '../http/call-limits.ts';

const MINUTE = 60;
const HOUR = 3600;

type PasswordLimit = Limit & { id: string; what: string };

/** The limits of everything that checks a password (decisions: Principals), in the order in which they are taken. */
const LIMITS = {
  pair: {
    id: 'passwords_of_pair',
    what: 'Failed passwords of one e-mail from one network',
    calls: 5,
    seconds: MINUTE,
  },
  network: {
    id: 'passwords_of_network',
    what: 'Failed passwords from one network',
    calls: 50,
    seconds: MINUTE,
  },
  site: {
    id: 'passwords_of_site',
    what: 'Failed passwords from one IPv6 /48, whose networks are easy to have',
    calls: 200,
    seconds: MINUTE,
  },
  email: {
    id: 'passwords_of_email',
    what: 'Failed passwords of one e-mail, except from networks that it signed in from before',
    calls: 50,
    seconds: MINUTE,
  },
  success: {
    id: 'passwords_right',
    what: 'Right passwords of one e-mail: each costs a hash, a session and an audit entry',
    calls: 300,
    seconds: HOUR,
  },
} as const satisfies Record<string, PasswordLimit>;

export const passwordGuardLimits: readonly ResourceLimit[] = Object.values(LIMITS).map(
  ({ id, what, ...limit }) => callLimit(id, 'Signing in', what, limit),
);

/** The operator that enters a password, and the network of the request. */
export type PasswordCaller = {
  /** The e-mail address that the operator signs in with. */
  name: string;
  /** The network and the site of the caller, as `networkOf` and `siteOf` return them. */
  network: string;
  site: string;
};

/** Guards passwords against guessing. A stranger cannot lock an operator out. */
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

type Counter = { key: string; limit: PasswordLimit };
type Exceeded = { counter: Counter; state: LimitState };

export const createPasswordGuard = (limiter: Pick<RateLimiter, 'take' | 'giveBack'>): PasswordGuard => {
  const giveBack = (counters: readonly Counter[]) =>
    Promise.all(counters.map(({ key, limit }) => limiter.giveBack(key, limit)));

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
        // In sequence, the narrowest first: a refusal of one network must not count against the e-mail address.
        const exceeded =
          (await take(pair)) ??
          (await take(ofNetwork)) ??
          (await take(ofSite)) ??
          (await takeOfEmail()) ??
          (await take(success));
        if (exceeded !== undefined) {
          const { counter, state } = exceeded;
          // The refused attempt stays counted: repeated attempts beyond a limit must not lower its counter.
          taken.splice(taken.indexOf(counter), 1);
          throw tooManyRequests(counter.limit.id, 'Too many attempts with a password.', state);
        }
        result = await check();
      } catch (error) {
        await giveBack(taken);
        throw error;
      }
      await giveBack(result === undefined ? [success] : [pair, ofNetwork, ofSite, ofEmail]);
      return result;
    },
  };
};
