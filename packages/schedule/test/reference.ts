import { minutesOf, type OpeningHours, occupyingStatuses, weekdays } from '@chairside/domain';
import type { NoSlotReason, SlotSearch } from '../src/index.ts';
import type { Given } from './occupied.ts';

/*
 * Applies the rules of docs/schedule.md to each minute separately. It is slow, and uses neither the code under test nor
 * the code's time zone library: local times come from Intl.
 */

export const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/**
 * How long before the first day of the range the checked minutes begin, and how long after the beginning of its last
 * day they end.
 */
const MARGIN = 4 * DAY;

const formats = new Map<string, Intl.DateTimeFormat>();
const known = new Map<string, Map<number, number>>();

const readClock = (timezone: string, moment: number): number => {
  const format =
    formats.get(timezone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    });
  formats.set(timezone, format);
  const parts = Object.fromEntries(
    format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute);
};

/** The UTC offset of a zone at a moment, in milliseconds. */
const offsetAt = (timezone: string, moment: number): number => {
  const offsets = known.get(timezone) ?? new Map<number, number>();
  known.set(timezone, offsets);
  const offset = offsets.get(moment) ?? readClock(timezone, moment) - moment;
  offsets.set(moment, offset);
  return offset;
};

/** The local date and time in this zone, encoded as the milliseconds of the same date and time in UTC. */
export const clockOf = (timezone: string, moment: number): number => {
  // The clocks change at most once in an hour. If the offsets at both ends of an hour are equal, the whole hour has
  // this offset.
  const hour = Math.floor(moment / HOUR) * HOUR;
  const first = offsetAt(timezone, hour);
  const minute = Math.floor(moment / MINUTE) * MINUTE;
  const offset = first === offsetAt(timezone, hour + HOUR) ? first : offsetAt(timezone, minute);
  return minute + offset;
};

const dateOf = (clock: number): string => new Date(clock).toISOString().slice(0, 10);
const clockAt = (date: string): number => Date.parse(`${date}T00:00:00Z`);

/** The opening hours of a date, in minutes after midnight. */
const intervalsOf = (hours: OpeningHours, date: string): { opens: number; closes: number }[] => {
  const exception = hours.exceptions.find((each) => each.date === date);
  // Day 0 of `getUTCDay` is a Sunday.
  const weekday = weekdays[(new Date(clockAt(date)).getUTCDay() + 6) % 7];
  const intervals = exception?.intervals ?? (weekday === undefined ? [] : hours.weekdays[weekday]);
  return intervals.map(({ opens, closes }) => ({ opens: minutesOf(opens), closes: minutesOf(closes) }));
};

/**
 * A minute, with the latest local date and time that the clocks have shown so far. So the local time of successive
 * ticks never decreases.
 */
type Tick = { moment: number; date: string; minutes: number };

/** The minutes of a range, with a margin before and after it. */
export const ticksOf = (
  timezone: string,
  { from, to }: { from: string; to: string },
  margin = MARGIN,
): Tick[] => {
  const ticks: Tick[] = [];
  let latest = Number.NEGATIVE_INFINITY;
  let date = '';
  let midnight = Number.NEGATIVE_INFINITY;
  for (let moment = clockAt(from) - margin; moment < clockAt(to) + margin; moment += MINUTE) {
    latest = Math.max(latest, clockOf(timezone, moment));
    if (latest >= midnight + DAY) {
      date = dateOf(latest);
      midnight = clockAt(date);
    }
    ticks.push({ moment, date, minutes: (latest - midnight) / MINUTE });
  }
  return ticks;
};

/** The number of these appointments that occupy a chair, for each minute. */
const loadOf = (
  ticks: readonly Tick[],
  appointments: Given['appointments'],
  slotMinutes: number,
): Map<number, number> => {
  const load = new Map<number, number>();
  const first = ticks[0]?.moment ?? 0;
  const last = (ticks.at(-1)?.moment ?? 0) + MINUTE;
  for (const { startTime, endTime, status } of appointments) {
    if (!(occupyingStatuses as readonly string[]).includes(status)) continue;
    const end = endTime?.getTime() ?? startTime.getTime() + slotMinutes * MINUTE;
    for (let moment = Math.max(first, startTime.getTime()); moment < Math.min(end, last); moment += MINUTE) {
      load.set(moment, (load.get(moment) ?? 0) + 1);
    }
  }
  return load;
};

/** The minutes that blocks of the clinic, or of the provider of the search, cover. */
const blockedIn = (blocks: Given['blocks'], { clinicId, providerId }: SlotSearch): Set<number> => {
  const blocked = new Set<number>();
  for (const block of blocks) {
    const isOfClinic = block.providerId === undefined && block.clinicId === clinicId;
    const isOfProvider = block.providerId !== undefined && block.providerId === providerId;
    if (!isOfClinic && !isOfProvider) continue;
    for (let moment = Date.parse(block.startTime); moment < Date.parse(block.endTime); moment += MINUTE) {
      blocked.add(moment);
    }
  }
  return blocked;
};

/** Calls `holds` with each minute of a time. */
const everyMinute = (start: number, minutes: number, holds: (moment: number) => boolean): boolean => {
  for (let passed = 0; passed < minutes; passed++) {
    if (!holds(start + passed * MINUTE)) return false;
  }
  return true;
};

/** What holds at each minute. All given times are whole minutes. */
export const minutesOfSearch = (
  search: SlotSearch,
  timezone: string,
  hours: OpeningHours,
  { blocks, appointments }: Given,
  margin = MARGIN,
) => {
  const ticks = ticksOf(timezone, search, margin);
  const ofClinic = appointments.filter(({ clinicId }) => clinicId === search.clinicId);
  const load = loadOf(ticks, ofClinic, hours.slotMinutes);
  const ofProvider = appointments.filter(
    ({ providerId }) => providerId !== undefined && providerId === search.providerId,
  );
  const patients = loadOf(ticks, ofProvider, hours.slotMinutes);
  const blocked = blockedIn(blocks, search);
  const open = new Set<number>();
  const starts: number[] = [];
  type Interval = { opens: number; closes: number };
  let anchor: { interval: Interval; date: string; moment: number } | undefined;
  let today: { date: string; intervals: readonly Interval[] } | undefined;
  for (const { moment, date, minutes } of ticks) {
    if (today?.date !== date) today = { date, intervals: intervalsOf(hours, date) };
    const interval = today.intervals.find(({ opens, closes }) => opens <= minutes && minutes < closes);
    if (interval === undefined) continue;
    open.add(moment);
    if (anchor?.interval !== interval || anchor.date !== date) anchor = { interval, date, moment };
    const isOnGrid = (moment - anchor.moment) % (hours.slotMinutes * MINUTE) === 0;
    if (isOnGrid && search.from <= date && date <= search.to) starts.push(moment);
  }
  return {
    /** The starts of the grid. */
    starts,
    isOpen: (moment: number): boolean => open.has(moment),
    isBlocked: (moment: number): boolean => blocked.has(moment),
    hasChair: (moment: number): boolean => (load.get(moment) ?? 0) < hours.chairs,
    hasProvider: (moment: number): boolean => (patients.get(moment) ?? 0) === 0,
  };
};
type Minutes = ReturnType<typeof minutesOfSearch>;

/** The rules for a time after that it must begin in opening hours, in the order of the reasons. */
const rulesFor = (
  minutes: Minutes,
  length: number,
  now: Date,
): readonly [NoSlotReason, (start: number) => boolean][] => [
  ['too_long', (start) => everyMinute(start, length, minutes.isOpen)],
  ['past', (start) => start > now.getTime()],
  ['blocked', (start) => everyMinute(start, length, (moment) => !minutes.isBlocked(moment))],
  ['fully_booked', (start) => everyMinute(start, length, minutes.hasChair)],
  ['provider_busy', (start) => everyMinute(start, length, minutes.hasProvider)],
];

/** The starts of the free slots, or the reason why there is none. */
export const slotsByMinute = (
  minutes: Minutes,
  { durationMinutes }: SlotSearch,
  now: Date,
): { slots: number[] } | { reason: NoSlotReason } => {
  let slots = minutes.starts;
  if (slots.length === 0) return { reason: 'closed' };
  for (const [reason, holds] of rulesFor(minutes, durationMinutes, now)) {
    slots = slots.filter(holds);
    if (slots.length === 0) return { reason };
  }
  return { slots };
};

/** Why a time is not free; undefined if it is. */
export const problemByMinute = (
  minutes: Minutes,
  time: { start: number; length: number },
  now: Date,
): NoSlotReason | undefined => {
  if (!minutes.isOpen(time.start)) return 'closed';
  return rulesFor(minutes, time.length, now).find(([, holds]) => !holds(time.start))?.[0];
};
