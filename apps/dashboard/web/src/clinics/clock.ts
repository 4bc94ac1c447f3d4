import { clockOf, DAY_MS, type Day, dayAfter, startOf } from './days.ts';

/** A local time without a zone, to the minute: `2030-01-31T09:30`. */
export type LocalTime = string;

const textOf = (clock: number): LocalTime => new Date(clock).toISOString().slice(0, 16);

/** The local time that the clocks of a zone show. */
export const localIn = (time: number, timeZone: string | undefined): LocalTime =>
  textOf(clockOf(time, timeZone));

const MINUTE_MS = 60_000;

/** The first minute after `low`, up to `high`, for which `isReached` is true. It must be true for all later ones. */
const firstMinute = (low: number, high: number, isReached: (time: number) => boolean): number => {
  let [before, after] = [Math.floor(low / MINUTE_MS), Math.ceil(high / MINUTE_MS)];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (isReached(middle * MINUTE_MS)) after = middle;
    else before = middle;
  }
  return after * MINUTE_MS;
};

/**
 * The moment at which the clocks of a zone first show a local time or, if they skip it, the moment of the change. This
 * is the rule of the api.
 *
 * @returns milliseconds since the epoch, and `fault` if the clocks do not show this time exactly once
 */
export const momentOf = (
  local: LocalTime,
  timeZone: string | undefined,
): { time: number; fault?: 'skipped' | 'twice' } => {
  const clock = Date.parse(`${local}Z`);
  const guesses = [clock - DAY_MS, clock + DAY_MS].map((near) => clock - (clockOf(near, timeZone) - near));
  const [first, last] = [Math.min(...guesses), Math.max(...guesses)];
  const shown = [first, last].filter((time) => clockOf(time, timeZone) === clock);
  if (shown.length === 0)
    return { time: firstMinute(first, last, (time) => clockOf(time, timeZone) >= clock), fault: 'skipped' };
  const time = shown[0] as number;
  return shown.length === 2 && first !== last ? { time, fault: 'twice' } : { time };
};

/** The length of a day in a zone, in hours: 24, except when the clocks change. */
export const hoursOfDay = (day: Day, timeZone: string | undefined): number =>
  (startOf(dayAfter(day, 1), timeZone) - startOf(day, timeZone)) / (60 * MINUTE_MS);

/** A change of the clocks: at `from` they are set to `to`. Both are local times. */
export type ClockChange = { day: Day; from: LocalTime; to: LocalTime };

/** The changes of the clocks of a zone on a number of days. */
export const clockChanges = (first: Day, count: number, timeZone: string | undefined): ClockChange[] => {
  const offsetAt = (time: number): number => clockOf(time, timeZone) - time;
  const noon = Date.parse(`${first}T12:00Z`);
  return Array.from({ length: count }, (_, index) => noon + (index - 1) * DAY_MS).flatMap((start) => {
    const before = offsetAt(start);
    if (offsetAt(start + DAY_MS) === before) return [];
    const time = firstMinute(start, start + DAY_MS, (moment) => offsetAt(moment) !== before);
    const [from, to] = [textOf(time + before), localIn(time, timeZone)];
    // If the clocks are set back at midnight, the day that becomes longer is the one before.
    const [earlier = from] = [from, to].sort();
    return [{ day: earlier.slice(0, 10), from, to }];
  });
};
