import { siteOf } from '@chairside/http-server';
import { LRUCache } from 'lru-cache';

/** How many sessions are remembered. */
const MAX_SESSIONS = 10_000;

/** The names under which the requests of a session are counted. */
export type CountedAs = { session: string; operator: string; organization: string };

/**
 * Maps access tokens to the operators and organizations that they belong to. The api names both in its responses to the
 * dashboard. Before the first response, the requests of a session count for the session instead of the operator, and
 * for the network of the caller instead of the organization.
 */
export type Principals = {
  /** @param principal the header `X-Principal` of an api response: the ids of the organization and the operator */
  learn(token: string, principal: string | string[] | null | undefined): void;
  /** Whether the operator and the organization of a token are known. */
  knows(token: string): boolean;
  /** @param address the address of the caller */
  countedAs(token: string, address: string): CountedAs;
};

export const createPrincipals = (): Principals => {
  const known = new LRUCache<string, { operator: string; organization: string }>({ max: MAX_SESSIONS });
  return {
    learn(token, principal) {
      const [organization, operator] = String(principal ?? '').split(' ');
      if (organization && operator)
        known.set(token, {
          operator: `operator ${operator}`,
          organization: `organization ${organization}`,
        });
    },
    knows: (token) => known.has(token),
    countedAs(token, address) {
      const session = `session ${token}`;
      return { session, operator: session, organization: `network ${siteOf(address)}`, ...known.get(token) };
    },
  };
};
