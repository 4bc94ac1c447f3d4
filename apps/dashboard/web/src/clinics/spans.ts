/** A period in milliseconds since the epoch, without its end. */
export type Span = { start: number; end: number };

/** The period of a block. */
export const spanOfBlock = ({ startTime, endTime }: { startTime: string; endTime: string }): Span => ({
  start: Date.parse(startTime),
  end: Date.parse(endTime),
});

export const overlap = (one: Span, other: Span): boolean => one.start < other.end && other.start < one.end;

/** The parts of some periods that lie inside another one. */
export const inside = <T extends Span>(spans: readonly T[], { start, end }: Span): T[] =>
  spans
    .map((each) => ({ ...each, start: Math.max(each.start, start), end: Math.min(each.end, end) }))
    .filter((each) => each.start < each.end);

/** The parts of a period that none of the others covers, in the order of time. */
export const without = (span: Span, others: readonly Span[]): Span[] => {
  const parts: Span[] = [];
  let { start } = span;
  for (const other of others.filter((each) => overlap(each, span)).sort((a, b) => a.start - b.start)) {
    if (other.start > start) parts.push({ start, end: other.start });
    start = Math.max(start, other.end);
  }
  return start < span.end ? [...parts, { start, end: span.end }] : parts;
};

/** The times at which at least this many of the periods overlap, in the order of time. */
export const coveredBy = (spans: readonly Span[], count: number): Span[] => {
  const steps = spans
    .flatMap(({ start, end }) => [
      { time: start, change: 1 },
      { time: end, change: -1 },
    ])
    // At one time, periods end before others begin.
    .sort((a, b) => a.time - b.time || a.change - b.change);
  const covered: Span[] = [];
  let present = 0;
  for (const { time, change } of steps) {
    if (change === 1 && ++present === count) covered.push({ start: time, end: time });
    const last = covered.at(-1);
    if (change === -1 && present-- === count && last !== undefined) last.end = time;
  }
  return covered.filter(({ start, end }) => start < end);
};
