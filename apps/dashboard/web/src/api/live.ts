import type { QueryFunctionContext } from '@tanstack/react-query';

/** How often a live page is read. */
const INTERVAL_MS = 3000;
/** Maximum interval between reads after failures. */
const LONGEST_MS = 60_000;
/** A live page is no longer read after this time without input. */
const PATIENCE_MS = 10 * 60_000;

let lastInput = Date.now();
const touch = (): void => {
  lastInput = Date.now();
};
for (const event of ['pointerdown', 'keydown', 'wheel', 'pointermove'] as const)
  addEventListener(event, touch, { passive: true });

/** The state of a query's last requests. */
type Progress = { state: { fetchFailureCount: number; error: unknown } };

/**
 * The interval at which a live page is read, for `refetchInterval`: three seconds, longer after failures, and none
 * after ten minutes without input. React Query itself pauses in a hidden tab and keeps one request in flight.
 */
export const liveInterval = ({ state }: Progress): number | false => {
  if (Date.now() - lastInput > PATIENCE_MS) return false;
  if (state.error === null) return INTERVAL_MS;
  return Math.min(LONGEST_MS, INTERVAL_MS * 2 ** Math.min(state.fetchFailureCount, 5));
};

/**
 * The options of a live query's request. Only the first request comes from the person; a later one must not keep the
 * session alive.
 */
export const liveRequest = ({ client, queryKey, signal }: QueryFunctionContext) => ({
  signal,
  background: client.getQueryData(queryKey) !== undefined,
});
