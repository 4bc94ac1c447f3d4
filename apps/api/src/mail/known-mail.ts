import { LRUCache } from 'lru-cache';

/** How long it is remembered whether the service sends mails, in milliseconds. */
const MEMORY_MS = 5000;

/** Whether the service sends mails, as pages show it. */
export type KnowsMail = () => Promise<boolean>;

/**
 * Remembers whether the service sends mails, because every page asks, signed in or not.
 *
 * @param sendsMail reads it from the database
 */
export const rememberMail = (sendsMail: () => Promise<boolean>): KnowsMail => {
  const known = new LRUCache<'mail', boolean>({ max: 1, ttl: MEMORY_MS, fetchMethod: sendsMail });
  return async () => (await known.fetch('mail')) ?? false;
};
