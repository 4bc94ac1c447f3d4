import type { WebhookStatisticsRow } from '@chairside/client';

/** Deliveries of one hour: how many ended with each outcome, and how long the attempts took. */
export type Hour = Pick<WebhookStatisticsRow, 'hour' | keyof Outcomes | 'durations'>;

/** The final outcomes, in the order in which they are shown. */
export const OUTCOME_NAMES = ['succeeded', 'failed', 'skipped', 'interrupted'] as const;
/** The outcomes from the bottom of a bar to its top: what failed is at the top. */
export const STACK = ['interrupted', 'succeeded', 'skipped', 'failed'] as const;
export type Outcomes = Record<(typeof OUTCOME_NAMES)[number], number>;

/** The periods of the charts in hours, and the number of hours that one bar represents. */
export const PERIODS = {
  day: { label: '24 hours', hours: 24, step: 1 },
  month: { label: '30 days', hours: 30 * 24, step: 24 },
} as const;
export type Period = keyof typeof PERIODS;

/** The upper bounds of the duration buckets, as the API documents them; the last bucket has none. */
const DURATION_BOUNDS_MS: readonly number[] = [
  1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 4000, 5000,
];

/** The length of an hour in milliseconds. */
export const HOUR = 3_600_000;
const NONE: Outcomes = { succeeded: 0, failed: 0, skipped: 0, interrupted: 0 };

const plus = (one: Outcomes, other: Outcomes): Outcomes => ({
  succeeded: one.succeeded + other.succeeded,
  failed: one.failed + other.failed,
  skipped: one.skipped + other.skipped,
  interrupted: one.interrupted + other.interrupted,
});

export type Bar = { time: number; outcomes: Outcomes };

/**
 * Returns the bars of a chart, the oldest first. Hours without deliveries count as zero.
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
  for (const hour of hours) {
    const bar = bars[Math.floor((Date.parse(hour.hour) - (end - count * HOUR)) / (step * HOUR))];
    if (bar !== undefined) bar.outcomes = plus(bar.outcomes, hour);
  }
  return bars;
};

/** How many deliveries the highest of these bars counts. */
export const highestOf = (bars: readonly Bar[]): number =>
  Math.max(
    0,
    ...bars.map(({ outcomes }) => OUTCOME_NAMES.reduce((total, name) => total + outcomes[name], 0)),
  );

export const totalOf = (hours: readonly Hour[]): Outcomes => hours.reduce<Outcomes>(plus, NONE);

/**
 * The duration that a share of the attempts did not exceed, as the upper bound of its bucket in milliseconds. The last
 * bucket has no upper bound and counts as the one before it.
 *
 * @returns undefined if there were no attempts
 */
export const durationOf = (hours: readonly Hour[], share: number): number | undefined => {
  const buckets = DURATION_BOUNDS_MS.concat(Number.POSITIVE_INFINITY).map((_, index) =>
    hours.reduce((sum, { durations }) => sum + (durations[index] ?? 0), 0),
  );
  const total = buckets.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let seen = 0;
  const index = buckets.findIndex((count) => {
    seen += count;
    return seen >= total * share;
  });
  return DURATION_BOUNDS_MS[index] ?? DURATION_BOUNDS_MS.at(-1);
};
