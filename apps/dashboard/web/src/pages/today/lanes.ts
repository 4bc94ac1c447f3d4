import { overlap, type Span } from '../../clinics/spans.ts';
import { MINUTE_MS } from './axis.ts';

/** A shorter appointment is as high as one of this length, so that its name can be read. */
const MIN_MS = 15 * MINUTE_MS;

/** The place of an appointment next to those that overlap it, and those that have no place of their own behind it. */
export type Placed<T> = { item: T; lane: 0 | 1; more: T[] };

const shown = ({ start, end }: Span): Span => ({ start, end: Math.max(end, start + MIN_MS) });

/**
 * Places appointments that overlap: the first has the whole width, the second lies above it, and all others are counted
 * at the last one that has a place.
 */
export const lanesOf = <T extends Span>(spans: readonly T[]): Placed<T>[] => {
  const placed: Placed<T>[] = [];
  const last: (Placed<T> | undefined)[] = [undefined, undefined];
  for (const item of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const isFree = (lane: 0 | 1): boolean => {
      const before = last[lane];
      return before === undefined || !overlap(shown(before.item), shown(item));
    };
    if (!isFree(0) && !isFree(1)) {
      placed.at(-1)?.more.push(item);
      continue;
    }
    const lane = isFree(0) ? 0 : 1;
    const place: Placed<T> = { item, lane, more: [] };
    last[lane] = place;
    placed.push(place);
  }
  return placed;
};
