/**
 * A limit of the service: a row of docs/limits.md. scripts/limits.test.ts compares the tables in the code with the
 * page.
 */
export type ResourceLimit = {
  /** Identifies the limit, for example as the label `limit` of `chairside_api_refusals_total`. */
  id: string;
  /** The heading under which the page lists the limit. */
  part:
    | 'Connections and requests'
    | 'Reading'
    | 'Writing'
    | 'Signing in'
    | 'Credentials'
    | 'Webhooks'
    | 'Dashboard'
    | 'Connected apps'
    | 'Mail'
    | 'Imports';
  /** What the limit applies to. */
  resource: string;
  value: number;
  /** The unit of the value and, if needed, its scope: `streams for each principal`. */
  unit: string;
  /** What happens when the limit is exceeded: the status and the error name, or a sentence. */
  beyond: string;
  /** The metric that shows the use of the limit; absent if there is none. */
  metric?: string;
};
