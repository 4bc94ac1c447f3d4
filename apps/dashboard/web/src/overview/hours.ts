/** One hour of deliveries: how many ended with each outcome, and how long the attempts took. */
export type Hour = {
  /** The beginning of the hour. */
  hour: string;
  outcomes: { succeeded: number; failed: number; skipped: number; interrupted: number };
  /** How many attempts fell into each of the 24 fixed buckets. */
  durations: readonly number[];
};

export type Outcomes = Hour['outcomes'];

/** The periods of the charts, and the hours that one bar stands for. */
export const PERIODS = {
  day: { label: '24 hours', hours: 24, step: 1 },
  month: { label: '30 days', hours: 30 * 24, step: 24 },
} as const;
export type Period = keyof typeof PERIODS;

/** The upper bounds of the duration buckets in milliseconds; the last bucket has none. */
export const DURATION_BOUNDS: readonly number[] = [
  1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300, 500, 800, 1200, 1600, 2000, 2500, 3000, 3500, 4000, 5000,
];

const HOUR = 3_600_000;
const NONE: Outcomes = { succeeded: 0, failed: 0, skipped: 0, interrupted: 0 };

const plus = (one: Outcomes, other: Outcomes): Outcomes => ({
  succeeded: one.succeeded + other.succeeded,
  failed: one.failed + other.failed,
  skipped: one.skipped + other.skipped,
  interrupted: one.interrupted + other.interrupted,
});

export type Bar = { time: number; outcomes: Outcomes };

/**
 * The bars of a chart, the oldest first. Hours without deliveries are bars of zero.
 *
 * @param now in milliseconds since the epoch
 */
export const barsOf = (hours: readonly Hour[], period: Period, now: number): Bar[] => {
  const { hours: count, step } = PERIODS[period];
  const end = Math.floor(now / HOUR) * HOUR + HOUR;
  const bars = Array.from({ length: count / step }, (_, index) => ({
    time: end - (count - index * step) * HOUR,
    outcomes: NONE,
  }));
  for (const { hour, outcomes } of hours) {
    const bar = bars[Math.floor((Date.parse(hour) - (end - count * HOUR)) / (step * HOUR))];
    if (bar !== undefined) bar.outcomes = plus(bar.outcomes, outcomes);
  }
  return bars;
};

export const totalOf = (hours: readonly Hour[]): Outcomes =>
  hours.reduce((sum, { outcomes }) => plus(sum, outcomes), NONE);

/**
 * The duration that a share of the attempts did not exceed, as the upper bound of its bucket in milliseconds; undefined
 * without attempts.
 */
export const durationOf = (hours: readonly Hour[], share: number): number | undefined => {
  const buckets = DURATION_BOUNDS.concat(Number.POSITIVE_INFINITY).map((_, index) =>
    hours.reduce((sum, { durations }) => sum + (durations[index] ?? 0), 0),
  );
  const total = buckets.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let seen = 0;
  const index = buckets.findIndex((count) => {
    seen += count;
    return seen >= total * share;
  });
  return DURATION_BOUNDS[index] ?? DURATION_BOUNDS.at(-1);
};
