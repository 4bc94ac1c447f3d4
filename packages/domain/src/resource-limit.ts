/**
 * A limit on something that a caller can consume: a row of docs/limits.md. Each table is exported from the code that
 * enforces its limits. scripts/limits.test.ts collects the tables and compares them with the page.
 */
export type ResourceLimit = {
  /** Names the limit in metrics: the label `limit` of `chairside_api_refusals_total`. */
  id: string;
  /** The heading under which the page lists the limit. */
  part:
    | 'Connections and requests'
    | 'Reading'
    | 'Writing'
    | 'Signing in'
    | 'Webhooks'
    | 'Dashboard'
    | 'Connected apps';
  /** The resource that is consumed. */
  resource: string;
  value: number;
  /** The unit of the value and, if needed, its scope: `streams for each principal`. */
  unit: string;
  /** What happens when the limit is exceeded: the status and the error name, or a sentence. */
  beyond: string;
  /** The metric that shows the use of the limit, with labels; absent if no metric does. */
  metric?: string;
};
