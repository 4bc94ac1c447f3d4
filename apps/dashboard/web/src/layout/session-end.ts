import type { Session } from '@chairside/client';

/** How long a session lives without use. */
const IDLE_LIFE_MS = 60 * 60_000;
/** How long before its end a session is announced to end. */
export const NOTICE_MS = 10 * 60_000;

/** When a session ends and whether using it puts that off. Times are in milliseconds since the epoch. */
export type End = { time: number; isIdle: boolean };

/**
 * When a session ends unless somebody uses it.
 *
 * @param lastUse the last use by this page; the session itself knows that of other pages
 */
export const endOf = (
  { expiryTime, lastUsedTime }: Pick<Session, 'expiryTime' | 'lastUsedTime'>,
  lastUse: number,
): End => {
  const last = Date.parse(expiryTime);
  const idle = Math.max(Date.parse(lastUsedTime), lastUse) + IDLE_LIFE_MS;
  return idle < last ? { time: idle, isIdle: true } : { time: last, isIdle: false };
};
