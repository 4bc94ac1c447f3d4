import type { Appointment, CalendarBlock, OpeningHours, SetOpeningHours } from '@chairside/client';
import { type Day, dayAfter, dayOf, startOf } from '../../clinics/days.ts';
import { hoursOn, openingsOn, WEEKDAYS } from '../../clinics/hours.ts';
import { overlap, type Span, spanOfBlock, without } from '../../clinics/spans.ts';

/** What a change of the schedule takes away: the times in which appointments can be, and no longer can be afterwards. */
export type Closing = {
  clinicId: string;
  /** The provider whose time it is; null for the time of the whole clinic. */
  providerId: string | null;
  /** No time before this moment closes. */
  from: number;
  /** No time from this moment on closes; undefined if there is no end. */
  to: number | undefined;
  /** Whether a part of this time closes. */
  isClosed(time: Span): boolean;
  /** The only day that closes, if all of its hours do. */
  day?: Day;
};

/** The parts of a day in which a clinic was open, and no longer is. */
const lostIn = (before: SetOpeningHours, after: SetOpeningHours, day: Day, timeZone: string | undefined) =>
  openingsOn(before, day, timeZone).flatMap((each) => without(each, openingsOn(after, day, timeZone)));

/** A Monday. */
const MONDAY = '1970-01-05';

/** Whether a clinic is open less in the usual week. */
const isOpenLess = (before: SetOpeningHours, after: SetOpeningHours): boolean => {
  const [one, other] = [{ weekdays: before.weekdays }, { weekdays: after.weekdays }];
  return WEEKDAYS.some((_, index) => lostIn(one, other, dayAfter(MONDAY, index), 'UTC').length > 0);
};

/** The time of an appointment. One without an end is a moment. */
export const timeOf = ({ startTime, endTime }: Pick<Appointment, 'startTime' | 'endTime'>): Span => {
  const start = Date.parse(startTime ?? '');
  return { start, end: endTime === undefined ? start + 1 : Date.parse(endTime) };
};

/**
 * What changed opening hours close.
 *
 * @param before the hours that are stored; undefined if they were never set, so that nothing was open
 * @param time the moment of now, and the days to look at if not all are wanted
 * @returns undefined if nothing closes
 */
export const closingOfHours = (
  { clinicId, timeZone }: { clinicId: string; timeZone: string | undefined },
  before: OpeningHours | undefined,
  after: SetOpeningHours,
  { now, days }: { now: number; days?: { first: Day; last: Day } },
): Closing | undefined => {
  if (before === undefined) return undefined;
  const today = dayOf(now, timeZone);
  const lost = new Map<Day, Span[]>();
  const lostOn = (day: Day): Span[] => {
    const known = lost.get(day) ?? lostIn(before, after, day, timeZone);
    lost.set(day, known);
    return known;
  };
  const dates = [...before.exceptions, ...(after.exceptions ?? [])].map(({ date }) => date);
  const lostDates = [...new Set(dates)].filter((day) => day >= today && lostOn(day).length > 0).sort();
  const isWeekly = isOpenLess(before, after);
  const [firstDate, lastDate] = [lostDates[0], lostDates.at(-1)];
  if (!isWeekly && firstDate === undefined) return undefined;
  const first = days?.first ?? (isWeekly ? today : (firstDate ?? today));
  const last = days?.last ?? (isWeekly ? undefined : lastDate);
  const isWhole = !isWeekly && firstDate === lastDate && hoursOn(after, first).length === 0;
  return {
    clinicId,
    providerId: null,
    from: Math.max(now, startOf(first, timeZone)),
    to: last === undefined ? undefined : startOf(dayAfter(last, 1), timeZone),
    isClosed(time) {
      const [from, to] = [dayOf(time.start, timeZone), dayOf(time.end - 1, timeZone)];
      for (let day = from; day <= to; day = dayAfter(day, 1))
        if (lostOn(day).some((span) => overlap(span, time))) return true;
      return false;
    },
    ...(isWhole && { day: first }),
  };
};

type Block = Pick<CalendarBlock, 'clinicId' | 'startTime' | 'endTime'> & {
  providerId?: string | null | undefined;
};

/**
 * What a new or changed block closes.
 *
 * @param stored the block as it is stored; undefined for a new one
 * @returns undefined if it closes nothing
 */
export const closingOfBlock = (
  block: Block,
  stored: Block | undefined,
  { now }: { now: number },
): Closing | undefined => {
  const providerId = block.providerId ?? null;
  const isSamePlace =
    stored !== undefined && stored.clinicId === block.clinicId && (stored.providerId ?? null) === providerId;
  const spans = without(spanOfBlock(block), isSamePlace ? [spanOfBlock(stored)] : []).filter(
    ({ end }) => end > now,
  );
  const [first] = spans;
  if (first === undefined) return undefined;
  return {
    clinicId: block.clinicId,
    providerId,
    from: Math.max(now, first.start),
    to: Math.max(...spans.map(({ end }) => end)),
    isClosed: (time) => spans.some((span) => overlap(span, time)),
  };
};
