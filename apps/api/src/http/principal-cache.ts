import type { Principal } from '@chairside/domain';
import { LRUCache } from 'lru-cache';

/** How long the result of a lookup is used. A deleted key must stop working within one second. */
export const PRINCIPAL_LIFE_MS = 500;
const MAX_PRINCIPALS = 10_000;

type Lookup = (secret: string) => Promise<Principal | undefined>;

/**
 * Caches the principals of secrets, so that a busy caller does not cost a query for each request. Concurrent lookups
 * of one secret share a query. Failed lookups and unknown secrets are not cached.
 *
 * @param now a monotonic clock, in milliseconds
 */
export const cachedPrincipals = (lookup: Lookup, now = () => performance.now()): Lookup => {
  const pending = new LRUCache<string, Promise<Principal | undefined>>({
    max: MAX_PRINCIPALS,
    ttl: PRINCIPAL_LIFE_MS,
    ttlResolution: 0,
    perf: { now },
  });
  return (secret) => {
    const cached = pending.get(secret);
    if (cached !== undefined) return cached;
    const found = lookup(secret);
    // The age counts from before the query: a slow query must not extend the life of a key that is deleted during it.
    pending.set(secret, found);
    const forget = () => {
      if (pending.peek(secret) === found) pending.delete(secret);
    };
    found.then((principal) => principal ?? forget(), forget);
    return found;
  };
};
