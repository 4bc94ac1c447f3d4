import type { Records } from './records.ts';

/** How long it is remembered that a record exists, in milliseconds. */
const LIFE = 1000;
const MAX_REMEMBERED = 10_000;

/**
 * Remembers for a second that a record exists, so that a busy caller does not have it looked up for each request. For
 * records that are never deleted; that one is missing is never remembered.
 */
export const rememberExisting = () => {
  const until = new Map<string, number>();
  return <R>(records: Records<R>, organizationId: string): Records<R> => ({
    ...records,
    async exists(id) {
      const key = JSON.stringify([organizationId, id]);
      if ((until.get(key) ?? 0) > performance.now()) return true;
      const exists = await records.exists(id);
      if (until.size >= MAX_REMEMBERED) until.clear();
      if (exists) until.set(key, performance.now() + LIFE);
      return exists;
    },
  });
};
