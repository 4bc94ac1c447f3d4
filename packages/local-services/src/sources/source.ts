import type { EnginePlan } from '../engine-plan.ts';

/** What a source may use to look for its engine. */
export type Search = {
  /** Absolute; made when something is stored. */
  cacheDirectory: string;
  environment: NodeJS.ProcessEnv;
  onProgress: (line: string) => void;
  signal: AbortSignal;
};

export type Finding =
  /** It runs already, and is not ours to start or stop. */
  | { outcome: 'given'; url: string; description: string }
  /** `insist`: the user has named it, so that no other may be taken if it does not run. */
  | { outcome: 'found'; plan: EnginePlan; insist?: boolean }
  | { outcome: 'unavailable'; reason: string };

/**
 * One way to come by an engine. `find` looks, and fetches or builds where that is its way, but starts nothing.
 * What it throws counts as a reason too, and the next source is asked; only a `LocalServicesError`, for
 * something that the user has named and that cannot be used, ends the search.
 */
export type Source = {
  /** For the list of what was tried: "mongod on PATH". */
  name: string;
  find(search: Search): Promise<Finding>;
};

export function unavailable(reason: string): Finding {
  return { outcome: 'unavailable', reason };
}
