import { isBefore, type LoggedEvent, type TimePosition } from '@chairside/mongodb';
import type { Position } from '../lists/cursors.ts';

/**
 * If a page reaches the end of the log, a later request continues this long before the end, or after the last event of
 * the page if that is later. After a failover, the clock of the new primary may be behind the clock of the old one, so
 * an event may enter the log with an earlier time.
 */
const CLOCK_TOLERANCE_MS = 60_000;
/** Comes after the `_id` of every event. */
const AFTER_EVERY_ID = '~';

/** The earlier of two times; the first one if the other is undefined. */
export const earlier = (one: Date, other: Date | undefined): Date =>
  other !== undefined && other < one ? other : one;

/**
 * Tracks how much of the event log a page has read, to determine where a later request continues.
 *
 * @param since the time with which the log begins for this reader
 */
export const logProgress = (since: Date | undefined) => {
  let reached: TimePosition = {
    time: new Date(since === undefined ? 0 : since.getTime() - 1),
    _id: AFTER_EVERY_ID,
  };
  let readTo = reached;
  const reach = (position: TimePosition): void => {
    if (isBefore(reached, position)) reached = position;
  };

  return {
    /**
     * @param after where the page begins
     * @param end if there is no next page, the reader has all events up to this time
     */
    begin(after: TimePosition | undefined, end: Date): void {
      if (after !== undefined) reach(after);
      readTo = { time: new Date(end.getTime() - CLOCK_TOLERANCE_MS), _id: AFTER_EVERY_ID };
    },
    /** The page has examined the log up to this position. */
    reach,
    take({ insertedAt, _id }: Pick<LoggedEvent, 'insertedAt' | '_id'>): void {
      reach({ time: insertedAt, _id });
    },
    /**
     * Returns the position after the newest event of the page. If there is no next page, the position is at most
     * `CLOCK_TOLERANCE_MS` before the end of the log.
     */
    resumeAt(hasNext: boolean): Position {
      if (!hasNext) reach(readTo);
      return [reached.time.toISOString(), reached._id];
    },
  };
};
