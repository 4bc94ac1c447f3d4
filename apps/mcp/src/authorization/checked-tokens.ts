import { createHash } from 'node:crypto';
import { beyondFullQueue, createFairQueue, type FairQueue, refusalOfFullQueue } from '@chairside/concurrency';
import { Refusal, type ResourceLimit } from '@chairside/domain';
import { RETRY_AFTER, siteOf } from '@chairside/http-server';
import { counterKey, type Limit } from '@chairside/queue';
import { LRUCache } from 'lru-cache';
import type { Dependencies, Grant } from '../context.ts';
import type { TokenState } from '../introspection.ts';

/** Maximum number of requests with invalid tokens from one network in a minute. */
const REJECTIONS: Limit = { calls: 300, seconds: 60 };
/**
 * Limits of introspections: of known tokens, which this process has found valid before, and of other tokens. At most as
 * many run at once as the connector has connections to the dashboard.
 */
const KNOWN_TOKENS = { atOnce: 24, atOnceOfCaller: 8, maxWaiting: 1000 };
const UNKNOWN_TOKENS = { atOnce: 8, atOnceOfCaller: 2, maxWaiting: 200 };
const MAX_TOKENS = 10_000;
/** How long a valid token counts as known after its last use. */
const KNOWN_LIFE_MS = 600_000;
/**
 * How long a token that is not valid is refused without another introspection. Such a token never becomes valid again.
 */
const INVALID_LIFE_MS = 600_000;

const part = 'Connected apps';
export const tokenLimits: readonly ResourceLimit[] = [
  {
    id: 'invalid_tokens',
    part,
    resource: 'Requests to the connector with invalid tokens from one network',
    value: REJECTIONS.calls,
    unit: 'per minute',
    beyond: '429 TooManyRequests instead of 401',
  },
  {
    id: 'known_tokens',
    part,
    resource: 'Tokens being checked that the connector has seen before',
    value: KNOWN_TOKENS.atOnce,
    unit: 'at once in each process',
    beyond: 'the request waits; organizations take turns',
  },
  {
    id: 'known_tokens_of_organization',
    part,
    resource: 'Tokens of one organization being checked that the connector has seen before',
    value: KNOWN_TOKENS.atOnceOfCaller,
    unit: 'at once in each process',
    beyond: 'the request waits; organizations take turns',
  },
  {
    id: 'known_tokens_waiting',
    part,
    resource: 'Requests with a token that the connector has seen before, which wait for their turn',
    value: KNOWN_TOKENS.maxWaiting,
    unit: 'in each process',
    beyond: beyondFullQueue('an organization'),
  },
  {
    id: 'unknown_tokens',
    part,
    resource: 'Checks of tokens that the connector has not seen before',
    value: UNKNOWN_TOKENS.atOnce,
    unit: 'at once in each process',
    beyond: 'the request waits; networks take turns',
  },
  {
    id: 'unknown_tokens_of_network',
    part,
    resource: 'Checks, for one network, of tokens that the connector has not seen before',
    value: UNKNOWN_TOKENS.atOnceOfCaller,
    unit: 'at once in each process',
    beyond: 'the request waits; networks take turns',
  },
  {
    id: 'unknown_tokens_waiting',
    part,
    resource: 'Checks of tokens that the connector has not seen before, waiting for their turn',
    value: UNKNOWN_TOKENS.maxWaiting,
    unit: 'in each process',
    beyond: beyondFullQueue('a network'),
  },
];

const digestOf = (token: string): string => createHash('sha256').update(token).digest('base64url');

/**
 * Lets checks wait for their turn in a queue.
 *
 * @returns a function that throws the refusal TooManyRequests or ServiceUnavailable if too many checks wait
 */
const inTurnsOf =
  (turns: FairQueue, whose: string, limit: string) =>
  async (caller: string, work: () => Promise<TokenState>): Promise<TokenState> => {
    try {
      return await turns.run(caller, work);
    } catch (error) {
      throw refusalOfFullQueue(error, { what: 'requests', whose, retryAfter: RETRY_AFTER, limit });
    }
  };

/**
 * Creates the function that asks the authorization server about a token. Known tokens, which were valid before, wait
 * for the turn of their organization. Unknown tokens wait for the turn of their network, so wrong tokens do not delay
 * known tokens.
 */
export const createTokenCheck = ({
  introspection,
  limiter,
}: Pick<Dependencies, 'introspection' | 'limiter'>) => {
  const known = new LRUCache<string, Grant>({ max: MAX_TOKENS, ttl: KNOWN_LIFE_MS });
  const invalid = new LRUCache<string, true>({ max: MAX_TOKENS, ttl: INVALID_LIFE_MS });
  const inTurnOfKnown = inTurnsOf(createFairQueue(KNOWN_TOKENS), 'organization', 'known_tokens_waiting');
  const inTurnOfUnknown = inTurnsOf(createFairQueue(UNKNOWN_TOKENS), 'network', 'unknown_tokens_waiting');

  /** @throws {Refusal} TooManyRequests if the network has sent too many invalid tokens */
  const reject = async (address: string): Promise<void> => {
    const { isAllowed, resetSeconds } = await limiter.take(
      counterKey('invalid-token', siteOf(address)),
      REJECTIONS,
    );
    if (isAllowed) return;
    throw new Refusal(
      'TooManyRequests',
      `Too many requests from your network had an invalid access token. Try again in ${resetSeconds} s.`,
      { retryAfter: resetSeconds, limit: 'invalid_tokens' },
    );
  };

  /**
   * @param address the address of the caller
   * @param admit counts the request of a grant, and throws if it is refused. For a known token it is called before the
   *   introspection, so that refused requests cost none
   * @param tool the tool that the app has called with the token. The introspection names it to the dashboard
   * @throws {IntrospectionFailed} if the authorization server does not say whether the token is valid
   * @throws {Refusal} TooManyRequests instead of an invalid state, if the network has sent too many invalid tokens;
   *   TooManyRequests if too many requests of the network or organization wait; ServiceUnavailable if too many other
   *   requests wait; refusals of `admit`
   */
  return async (
    token: string,
    address: string,
    admit: (grant: Grant) => Promise<void>,
    tool?: string,
  ): Promise<TokenState> => {
    const digest = digestOf(token);
    const ask = () => introspection.introspect(token, tool);
    const grant = known.get(digest);
    let state: TokenState = { active: false };
    if (grant !== undefined) {
      await admit(grant);
      state = await inTurnOfKnown(grant.organizationId, ask);
    } else if (!invalid.has(digest)) {
      state = await inTurnOfUnknown(siteOf(address), ask);
    }
    if (!state.active) {
      known.delete(digest);
      invalid.set(digest, true);
      await reject(address);
      return state;
    }
    const found: Grant = { organizationId: state.organization_id, grantId: state.grant_id };
    known.set(digest, found);
    if (grant === undefined) await admit(found);
    return state;
  };
};
