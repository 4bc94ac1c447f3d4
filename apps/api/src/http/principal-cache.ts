import { clock, type Principal } from '@chairside/domain';
import { LRUCache } from 'lru-cache';

/** How long the result of a lookup is used. A deleted key must stop working within one second. */
export const PRINCIPAL_LIFE_MS = 500;
const MAX_PRINCIPALS = 10_000;

type Lookup<P> = (secret: string) => Promise<P | undefined>;

/**
 * Caches what is found by secrets, so that a busy caller does not cost a query for each request. Concurrent lookups
 * of one secret share a query. Failed lookups and unknown secrets are not cached, and no key is used after its `endTime`.
 *
 * @param now a monotonic clock, in milliseconds
 */
export const cachedPrincipals = <P extends Principal | 'ended'>(
  lookup: Lookup<P>,
  now = () => performance.now(),
): Lookup<P> => {
  const pending = new LRUCache<string, Promise<P | undefined>>({
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
    found.then((principal) => {
      if (principal === undefined) return forget();
      if (principal === 'ended' || principal.kind !== 'apiKey' || principal.endTime === undefined) return;
      const left = principal.endTime.getTime() - clock.now().getTime();
      if (left <= 0) forget();
      else if (left < pending.getRemainingTTL(secret) && pending.peek(secret) === found)
        pending.set(secret, found, { ttl: left });
    }, forget);
    return found;
  };
};
