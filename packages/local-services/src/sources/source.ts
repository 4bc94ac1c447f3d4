import type { EnginePlan } from '../engine-plan.ts';

/** What a source may use to look for its engine. */
export type Search = {
  cacheDirectory: string;
  environment: NodeJS.ProcessEnv;
  onProgress: (line: string) => void;
  signal: AbortSignal;
};

export type Finding =
  /** Runs already, and is not ours to start or stop. */
  | { outcome: 'given'; url: string; description: string }
  | { outcome: 'found'; plan: EnginePlan }
  /** `reason` is a sentence part that says what was tried and why it failed: "mongod is not on PATH". */
  | { outcome: 'unavailable'; reason: string };

/**
 * One way to come by an engine. It looks, and fetches or builds where that is its way, but starts nothing.
 * Throws only what should end the search: an engine that the user named and that cannot be used.
 */
export type Source = (search: Search) => Promise<Finding>;

export function unavailable(reason: string): Finding {
  return { outcome: 'unavailable', reason };
}
