/**
 * A bound on something that a caller can consume: a row of docs/limits.md. Each table of these is exported beside the
 * code that enforces it; scripts/limits.test.ts collects the tables and compares them with the page.
 */
export type ResourceLimit = {
  /** Names the limit in metrics: the label `limit` of `chairside_api_refusals_total`. */
  id: string;
  /** The heading under which the page lists the limit. */
  part: 'Connections and requests' | 'Reading' | 'Writing' | 'Signing in' | 'Webhooks';
  /** What is consumed. */
  resource: string;
  value: number;
  /** The unit of the value, with what it is counted for: `streams for each principal`. */
  unit: string;
  /** What happens beyond the limit: status and name, or a sentence. */
  beyond: string;
  /** The metric that shows it, with labels; absent where nothing is counted. */
  metric?: string;
};
