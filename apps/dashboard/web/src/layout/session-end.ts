import type { Session } from '@chairside/client';

/** How long a session lasts without use. */
export const IDLE_LIFE_MS = 60 * 60_000;
/** The end of a session is announced this long in advance. */
export const NOTICE_MS = 10 * 60_000;

/**
 * The time at which a session ends, in milliseconds since the epoch, and whether using the session postpones the end.
 */
export type End = { time: number; isIdle: boolean };

/**
 * Returns when a session ends if nobody uses it.
 *
 * @param lastUse the last use by this page, in milliseconds since the epoch. `lastUsedTime` of the session includes the
 *   use by other pages
 */
export const endOf = (
  { expiryTime, lastUsedTime }: Pick<Session, 'expiryTime' | 'lastUsedTime'>,
  lastUse: number,
): End => {
  const last = Date.parse(expiryTime);
  const idle = Math.max(Date.parse(lastUsedTime), lastUse) + IDLE_LIFE_MS;
  return idle < last ? { time: idle, isIdle: true } : { time: last, isIdle: false };
};
