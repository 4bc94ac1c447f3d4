/** How long deliveries are kept. */
const KEPT_MS = 30 * 24 * 60 * 60_000;
const DAY = 24 * 60 * 60_000;

/**
 * The time since which deliveries are kept. It is the start of a day in UTC, so that it rarely changes while a page is
 * open.
 */
export const keptSince = (now = Date.now()): string =>
  new Date(Math.floor((now - KEPT_MS) / DAY) * DAY).toISOString();
