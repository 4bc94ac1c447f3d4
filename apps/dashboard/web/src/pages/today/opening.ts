import type { CalendarBlock, OpeningHours } from '@chairside/client';
import { type Day, dayAfter } from '../../clinics/days.ts';
import { openingsOn } from '../../clinics/hours.ts';
import { type Span, spanOfBlock, without } from '../../clinics/spans.ts';

/** What decides when a clinic is open: its hours, undefined if they were never set, and its blocks. */
export type Opening = {
  hours: OpeningHours | undefined;
  blocks: readonly CalendarBlock[];
  timeZone: string | undefined;
};

/** The opening hours of a day. None if they were never set. */
export const openingsOf = ({ hours, timeZone }: Opening, day: Day): Span[] =>
  hours === undefined ? [] : openingsOn(hours, day, timeZone);

/** The opening hours of a day that no block of the whole clinic covers. */
const openTimes = (opening: Opening, day: Day): Span[] => {
  const blocks = opening.blocks.filter(({ providerId }) => providerId === undefined).map(spanOfBlock);
  return openingsOf(opening, day).flatMap((each) => without(each, blocks));
};

/** Why a clinic is closed on a day: by its hours, by an exception from them, or by blocks. */
export type Closure = 'weekday' | 'exception' | CalendarBlock['kind'];

/** Why a clinic is closed on a day. Undefined if it is open for some time, or if its hours were never set. */
export const closureOf = (opening: Opening, day: Day): Closure | undefined => {
  const { hours, blocks } = opening;
  if (hours === undefined || openTimes(opening, day).length > 0) return undefined;
  const [first] = openingsOf(opening, day);
  if (first === undefined) return hours.exceptions.some(({ date }) => date === day) ? 'exception' : 'weekday';
  const block = blocks.find(
    (each) => each.providerId === undefined && without(first, [spanOfBlock(each)])[0]?.start !== first.start,
  );
  return block?.kind ?? 'CLOSED';
};

/** The first time after a day at which a clinic opens, within this number of days. */
export const nextOpening = (
  opening: Opening,
  day: Day,
  days: number,
): { day: Day; start: number } | undefined => {
  for (let count = 1; count <= days; count++) {
    const next = dayAfter(day, count);
    const [first] = openTimes(opening, next);
    if (first !== undefined) return { day: next, start: first.start };
  }
  return undefined;
};
