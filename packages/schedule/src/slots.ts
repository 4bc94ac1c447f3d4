import {
  type BusyInterval,
  type BusyTimes,
  type CalendarBlock,
  durationMinutes as durationSchema,
  type OpeningHours,
  type Span,
} from '@chairside/domain';
import { type DayRange, dayAfter, daysOf, MAX_SLOT_DAYS } from './day-range.ts';
import { isKnownZone, localDayOf, momentOf } from './local-time.ts';
import { openingSpans } from './opening.ts';
import { coveredBy, joined, openWalk } from './span.ts';

const MINUTE = 60_000;

/** The parameters of a search for free slots. */
export type SlotSearch = DayRange & {
  clinicId: string;
  durationMinutes: number;
  /** Excludes the times in which this provider is blocked or has another appointment. */
  providerId?: string | undefined;
};

/** The settings of the clinic. `timezone` is undefined if the clinic has none, and `hours` if they were never set. */
export type SlotSettings = { timezone: string | undefined; hours: OpeningHours | undefined };

/**
 * The blocks and the appointments that overlap the window of {@link slotWindow}. Blocks and appointments outside the
 * window have no effect.
 */
export type Occupied = {
  blocks: readonly Pick<CalendarBlock, 'clinicId' | 'providerId' | 'startTime' | 'endTime'>[];
  /** The appointments of this clinic, and those of the provider at other clinics. */
  busy: BusyTimes;
};

/**
 * Why there is no free slot:
 *
 * - `no_time_zone`: the clinic has no time zone, or one that is not known
 * - `no_opening_hours`: the opening hours of the clinic were never set
 * - `closed`: the clinic does not open on these days
 * - `too_long`: no slot of this length lies within opening hours
 * - `past`: all slots of these days have begun
 * - `blocked`: calendar blocks cover all remaining slots
 * - `fully_booked`: appointments fill all chairs in all remaining slots
 * - `provider_busy`: the provider has other appointments in all remaining slots
 */
export const noSlotReasons = [
  'no_time_zone',
  'no_opening_hours',
  'closed',
  'too_long',
  'past',
  'blocked',
  'fully_booked',
  'provider_busy',
] as const;
export type NoSlotReason = (typeof noSlotReasons)[number];

export type FreeSlots =
  | { outcome: 'found'; slots: { start: Date; end: Date }[] }
  | { outcome: 'none'; reason: NoSlotReason };

const none = (reason: NoSlotReason): FreeSlots => ({ outcome: 'none', reason });

/** @throws {RangeError} if the duration or the range is not valid */
const checkSearch = (search: SlotSearch): string[] => {
  const { success, error } = durationSchema.safeParse(search.durationMinutes);
  if (!success) throw new RangeError(`durationMinutes ${error.issues[0]?.message}`);
  return daysOf(search, MAX_SLOT_DAYS);
};

/**
 * The period in which blocks and appointments matter: from the beginning of the first day to the end of a slot that
 * begins at the end of the last day.
 *
 * @returns undefined if the time zone is not known. {@link findSlots} then needs no blocks and appointments
 * @throws {RangeError} if the range or the duration is not valid
 */
export const slotWindow = (
  timezone: string | undefined,
  search: SlotSearch,
): { from: Date; to: Date } | undefined => {
  checkSearch(search);
  if (!isKnownZone(timezone)) return undefined;
  const end = momentOf(timezone, dayAfter(search.to), 0);
  return {
    from: new Date(momentOf(timezone, search.from, 0)),
    to: new Date(end + search.durationMinutes * MINUTE),
  };
};

/**
 * The opening intervals of each day, from the first day of the search to the day on which the last possible slot ends.
 */
const openingsOf = (
  hours: OpeningHours,
  timezone: string,
  { from, to, durationMinutes }: SlotSearch,
): Span[][] => {
  const openings: Span[][] = [];
  const end = momentOf(timezone, dayAfter(to), 0) + durationMinutes * MINUTE;
  for (let day = from; momentOf(timezone, day, 0) < end; day = dayAfter(day)) {
    openings.push(openingSpans(hours, timezone, day));
  }
  return openings;
};

/** The clinic that is wanted, and the provider if one matters. */
type Wanted = Pick<SlotSearch, 'clinicId' | 'providerId'>;

/** The times that calendar blocks of the clinic, or of the given provider, cover. */
const blockedTimes = (blocks: Occupied['blocks'], { clinicId, providerId }: Wanted): Span[] =>
  joined(
    blocks
      .filter((block) =>
        block.providerId === undefined ? block.clinicId === clinicId : block.providerId === providerId,
      )
      .map(({ startTime, endTime }) => ({ start: Date.parse(startTime), end: Date.parse(endTime) })),
  );

const spansOf = (appointments: readonly BusyInterval[], slotMinutes: number): Span[] =>
  appointments.map(({ startTime, endTime }) => {
    const start = startTime.getTime();
    return { start, end: endTime?.getTime() ?? start + slotMinutes * MINUTE };
  });

/** The times in which appointments occupy all chairs of the clinic. */
const fullTimes = (
  busy: BusyTimes,
  { chairs, slotMinutes }: Pick<OpeningHours, 'chairs' | 'slotMinutes'>,
  { clinicId }: Wanted,
): Span[] => {
  const moving = busy.moving.flatMap((some) =>
    joined(
      spansOf(
        some.filter((each) => each.clinicId === clinicId),
        slotMinutes,
      ),
    ),
  );
  return coveredBy(busy.atClinic(slotMinutes, moving), chairs);
};

/** The times in which the provider has appointments, at any clinic. */
const providerTimes = (busy: BusyTimes, slotMinutes: number, { providerId }: Wanted): Span[] => {
  if (providerId === undefined) return [];
  const moving = busy.moving.flat().filter((each) => each.providerId === providerId);
  return coveredBy(busy.ofProvider(slotMinutes, spansOf(moving, slotMinutes)), 1);
};

/** The grid: a slot may begin every `slotMinutes` from the start of each opening interval. */
const gridOf = (openings: readonly Span[], slotMinutes: number, durationMinutes: number): Span[] => {
  const slots: Span[] = [];
  for (const { start, end } of openings) {
    for (let begin = start; begin < end; begin += slotMinutes * MINUTE) {
      slots.push({ start: begin, end: begin + durationMinutes * MINUTE });
    }
  }
  return slots;
};

/**
 * Finds the free slots of a range of days, in the order of time. A slot is free if
 *
 * - it begins on the grid: every `slotMinutes` from the start of each opening interval of these days,
 * - it lies within opening hours; intervals that touch count as one, even across midnight,
 * - it begins after `now`,
 * - no block of the clinic overlaps it, and no block of the provider if one is given,
 * - at each of its moments, a chair is free. Requested, scheduled and arrived appointments occupy a chair. An
 *   appointment without an end occupies it for `slotMinutes`, and one of zero length occupies nothing,
 * - at none of its moments, the given provider has such an appointment, at any clinic.
 *
 * @param search at most {@link MAX_SLOT_DAYS} days
 * @returns the slots. If there are none, the reason: a missing setting, or the first of these rules, in this order,
 *   that leaves no slot
 * @throws {RangeError} if the range or the duration is not valid
 */
export const findSlots = (
  search: SlotSearch,
  { timezone, hours }: SlotSettings,
  { blocks, busy }: Occupied,
  now: Date,
): FreeSlots => {
  const days = checkSearch(search);
  if (!isKnownZone(timezone)) return none('no_time_zone');
  if (hours === undefined) return none('no_opening_hours');

  const openings = openingsOf(hours, timezone, search);
  const ofDays = openings.slice(0, days.length).flat();
  const grid = gridOf(ofDays, hours.slotMinutes, search.durationMinutes);
  if (grid.length === 0) return none('closed');
  const open = openWalk(joined(openings.flat()));
  const inHours = grid.filter((slot) => open.contains(slot));
  if (inHours.length === 0) return none('too_long');
  const ahead = inHours.filter(({ start }) => start > now.getTime());
  if (ahead.length === 0) return none('past');
  const blocked = openWalk(blockedTimes(blocks, search));
  const allowed = ahead.filter((slot) => !blocked.overlaps(slot));
  if (allowed.length === 0) return none('blocked');
  const full = openWalk(fullTimes(busy, hours, search));
  const withChair = allowed.filter((slot) => !full.overlaps(slot));
  if (withChair.length === 0) return none('fully_booked');
  const ofProvider = openWalk(providerTimes(busy, hours.slotMinutes, search));
  const free = withChair.filter((slot) => !ofProvider.overlaps(slot));
  if (free.length === 0) return none('provider_busy');
  return {
    outcome: 'found',
    slots: free.map(({ start, end }) => ({ start: new Date(start), end: new Date(end) })),
  };
};

/** The opening times around a period. Those that touch are one. */
const openingsAround = (hours: OpeningHours, timezone: string, { start, end }: Span): Span[] => {
  const openings: Span[] = [];
  // Around a change of the clocks at midnight, a moment can belong to the hours of the day before or after.
  const last = dayAfter(localDayOf(timezone, new Date(end)), 1);
  let day = dayAfter(localDayOf(timezone, new Date(start)), -1);
  for (; momentOf(timezone, day, 0) <= momentOf(timezone, last, 0); day = dayAfter(day)) {
    openings.push(...openingSpans(hours, timezone, day));
  }
  return joined(openings);
};

/**
 * Checks whether a time is free. The rules are those of {@link findSlots}, except that a time need not begin on the grid
 * and may last up to the maximum length of an appointment.
 *
 * @returns the first rule that the time breaks; undefined if it is free
 */
export const timeProblem = (
  { startTime, endTime, ...wanted }: Wanted & { startTime: Date; endTime: Date },
  { timezone, hours }: SlotSettings,
  { blocks, busy }: Occupied,
  now: Date,
): NoSlotReason | undefined => {
  if (!isKnownZone(timezone)) return 'no_time_zone';
  if (hours === undefined) return 'no_opening_hours';
  const time = { start: startTime.getTime(), end: endTime.getTime() };
  const opening = openingsAround(hours, timezone, time).find(
    ({ start, end }) => start <= time.start && time.start < end,
  );
  if (opening === undefined) return 'closed';
  if (opening.end < time.end) return 'too_long';
  if (startTime <= now) return 'past';
  const isIn = (spans: readonly Span[]): boolean => openWalk(spans).overlaps(time);
  if (isIn(blockedTimes(blocks, wanted))) return 'blocked';
  if (isIn(fullTimes(busy, hours, wanted))) return 'fully_booked';
  if (isIn(providerTimes(busy, hours.slotMinutes, wanted))) return 'provider_busy';
  return undefined;
};
