import { createFairQueue, type FairQueue } from '@chairside/concurrency';
import { siteOf } from '@chairside/http-server';
import type { OAuthStore } from '@chairside/mongodb/oauth';
import { callers } from './callers.ts';

/**
 * Limits of concurrent database operations. They leave connections for the checks of grants by introspection, on which
 * the requests of all connected apps depend.
 */
export const OPERATIONS = { atOnce: 30, atOnceOfCaller: 10, maxWaiting: 2000 };

type Method = (...given: unknown[]) => Promise<unknown>;

/** The methods of a repository, each of which waits for the turn of the caller's network, if there is a caller. */
const repositoryInTurns = <R extends object>(repository: R, turns: FairQueue): R =>
  Object.fromEntries(
    Object.entries(repository).map(([name, method]) => [
      name,
      (...given: unknown[]) => {
        const operate = () => (method as Method).apply(repository, given);
        const caller = callers.getStore();
        return caller === undefined ? operate() : turns.run(siteOf(caller.address), operate);
      },
    ]),
  ) as R;

/** A store whose operations wait for their turn. Networks take turns. Introspection, which has no caller, does not wait. */
export const inTurns = (store: OAuthStore): OAuthStore => {
  const turns = createFairQueue(OPERATIONS);
  const { state, clients, limits, grants, trail, ...own } = store;
  return {
    ...own,
    state: repositoryInTurns(state, turns),
    clients: repositoryInTurns(clients, turns),
    limits: repositoryInTurns(limits, turns),
    grants: repositoryInTurns(grants, turns),
    trail: repositoryInTurns(trail, turns),
  };
};
