import type { Span, Times } from '@chairside/domain';

/**
 * Merges spans that overlap or touch. Spans of zero length are omitted.
 *
 * @returns spans in the order of time, with gaps between them
 */
export const joined = (spans: readonly Span[]): Span[] => {
  const result: Span[] = [];
  for (const { start, end } of spans.filter((span) => span.end > span.start).sort(byStart)) {
    const last = result.at(-1);
    if (last === undefined || start > last.end) result.push({ start, end });
    else last.end = Math.max(last.end, end);
  }
  return result;
};

const byStart = (one: Span, other: Span): number => one.start - other.start;

/**
 * The times in which at least `count` of the given times overlap. None of them may have zero length. Sorts the columns.
 *
 * @returns spans in the order of time, with gaps between them
 */
export const coveredBy = ({ starts, ends }: Times, count: number): Span[] => {
  starts.sort();
  ends.sort();
  const result: Span[] = [];
  const add = (start: number, end: number): void => {
    const last = result.at(-1);
    if (last !== undefined && last.end >= start) last.end = end;
    else result.push({ start, end });
  };
  let ended = 0;
  let coveredSince: number | undefined;
  for (let started = 0; started < starts.length; started++) {
    const start = starts[started] as number;
    for (let end = ends[ended]; end !== undefined && end <= start; end = ends[ended]) {
      ended++;
      if (coveredSince === undefined || started - ended >= count) continue;
      add(coveredSince, end);
      coveredSince = undefined;
    }
    if (started + 1 - ended >= count) coveredSince ??= start;
  }
  // No further span begins, so the last covered time ends when fewer than `count` spans are left.
  const end = ends[starts.length - count];
  if (coveredSince !== undefined && end !== undefined) add(coveredSince, end);
  return result;
};

/** Looks up spans for queries in the order of time. A query takes constant time on average. */
export const openWalk = (spans: readonly Span[]) => {
  let at = 0;
  /** The first span that ends after this moment. The moment must not be earlier than in the previous call. */
  const from = (moment: number): Span | undefined => {
    while ((spans[at]?.end ?? Number.POSITIVE_INFINITY) <= moment) at++;
    return spans[at];
  };
  return {
    contains: ({ start, end }: Span): boolean => {
      const span = from(start);
      return span !== undefined && span.start <= start && span.end >= end;
    },
    overlaps: ({ start, end }: Span): boolean => (from(start)?.start ?? Number.POSITIVE_INFINITY) < end,
  };
};
