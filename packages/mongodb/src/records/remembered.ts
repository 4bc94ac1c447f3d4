import { LRUCache } from 'lru-cache';
import type { Records } from './records.ts';

/** How long the existence of a record is remembered. */
const LIFE_MS = 1000;
const MAX_REMEMBERED = 10_000;

/**
 * Remembers for a second that a record exists, so that many requests need only one lookup. Use it only for records that
 * are never deleted. That a record is missing is not remembered.
 */
export const rememberExisting = () => {
  const known = new LRUCache<string, true>({ max: MAX_REMEMBERED, ttl: LIFE_MS });
  return <R>(records: Records<R>, organizationId: string): Records<R> => ({
    ...records,
    async exists(id) {
      const key = JSON.stringify([organizationId, id]);
      if (known.has(key)) return true;
      const exists = await records.exists(id);
      if (exists) known.set(key, true);
      return exists;
    },
  });
};
