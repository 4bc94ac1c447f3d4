import { momentOf } from '../../clinics/clock.ts';
import { clockOf, type Day, dayAfter, startOf } from '../../clinics/days.ts';
import { inside, type Span } from '../../clinics/spans.ts';
import { timeText } from '../../clinics/zone.ts';

export const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The clocks of all zones change at a quarter of an hour. */
const STEP_MS = 15 * MINUTE_MS;

/** The period of the day that a grid shows, and its hours: minutes since its start, and what the clocks show. */
export type Axis = Span & { hours: readonly { at: number; text: string }[] };

/** The minutes from the start of an axis to a time. On a day of 23 or 25 hours they are those that pass. */
export const minutesOn = ({ start }: Span, time: number): number => (time - start) / MINUTE_MS;

/** A day in a zone. */
export const spanOf = (day: Day, timeZone: string | undefined): Span => ({
  start: startOf(day, timeZone),
  end: startOf(dayAfter(day, 1), timeZone),
});

const toHour = (round: (hours: number) => number, time: number, timeZone: string | undefined): number => {
  const minute = Math.floor(time / MINUTE_MS) * MINUTE_MS;
  const offset = clockOf(minute, timeZone) - minute;
  return round((time + offset) / HOUR_MS) * HOUR_MS - offset;
};

/** The full hours of a day that contain all of these periods. Without any, those of a usual day. */
export const axisOf = (day: Day, timeZone: string | undefined, spans: readonly Span[]): Axis => {
  const whole = spanOf(day, timeZone);
  const parts = inside(spans, whole);
  const [first, last] =
    parts.length === 0
      ? [momentOf(`${day}T08:00`, timeZone).time, momentOf(`${day}T17:00`, timeZone).time]
      : [Math.min(...parts.map(({ start }) => start)), Math.max(...parts.map(({ end }) => end))];
  const start = Math.max(whole.start, toHour(Math.floor, first, timeZone));
  const end = Math.min(whole.end, toHour(Math.ceil, last, timeZone));
  const hours: Axis['hours'][number][] = [];
  for (let time = start; time < end; time += STEP_MS)
    if (clockOf(time, timeZone) % HOUR_MS === 0)
      hours.push({ at: (time - start) / MINUTE_MS, text: timeText(time, timeZone) });
  return { start, end, hours };
};
