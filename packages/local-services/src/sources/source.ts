import type { EnginePlan } from '../engine-plan.ts';

/** The context in which a source looks for its engine. */
export type Search = {
  /** An absolute path. Created when something is stored. */
  cacheDirectory: string;
  environment: NodeJS.ProcessEnv;
  onProgress: (line: string) => void;
  signal: AbortSignal;
};

export type Finding =
  /** It already runs, and must not be started or stopped. */
  | { outcome: 'given'; url: string; description: string }
  /** `insist`: the user has selected it, so no other source is tried if it does not run. */
  | { outcome: 'found'; plan: EnginePlan; insist?: boolean }
  | { outcome: 'unavailable'; reason: string };

/**
 * One way to obtain an engine. `find` searches, and downloads or builds if necessary, but starts nothing. If it throws,
 * the error counts as a reason and the next source is tried. Only a `LocalServicesError`, for an engine that the user
 * has selected and that cannot be used, ends the search.
 */
export type Source = {
  /** The name in the list of sources that were tried: "mongod on PATH". */
  name: string;
  find(search: Search): Promise<Finding>;
};

export function unavailable(reason: string): Finding {
  return { outcome: 'unavailable', reason };
}
