/** How long deliveries are kept. */
const KEPT_MS = 30 * 24 * 60 * 60_000;
const DAY = 24 * 60 * 60_000;

/**
 * The start of the day, in UTC, on which the oldest kept deliveries were created. It rarely changes while a page is
 * open.
 */
export const keptSince = (now = Date.now()): string =>
  new Date(Math.floor((now - KEPT_MS) / DAY) * DAY).toISOString();
