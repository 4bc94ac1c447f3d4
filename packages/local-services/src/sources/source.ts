import type { EnginePlan } from '../engine-plan.ts';

/** The context in which a source looks. */
export type Search = {
  /** An absolute path. Created when something is stored. */
  cacheDirectory: string;
  environment: NodeJS.ProcessEnv;
  onProgress: (line: string) => void;
  signal: AbortSignal;
};

/** @typeParam Plan what a source finds: a way to run an engine, or a program */
export type Finding<Plan = EnginePlan> =
  /** It already runs, and must not be started or stopped. */
  | { outcome: 'given'; url: string; description: string }
  /** `insist`: the user has selected it, so no other source is tried if it does not run. */
  | { outcome: 'found'; plan: Plan; insist?: boolean }
  | { outcome: 'unavailable'; reason: string };

/**
 * One way to obtain an engine or a browser. `find` searches, and downloads or builds if necessary, but starts nothing. If it throws,
 * the error counts as a reason and the next source is tried. Only a `LocalServicesError`, for one that the user
 * has selected and that cannot be used, ends the search.
 */
export type Source<Plan = EnginePlan> = {
  /** The name in the list of sources that were tried: "mongod on PATH". */
  name: string;
  find(search: Search): Promise<Finding<Plan>>;
};

export function unavailable(reason: string): Finding<never> {
  return { outcome: 'unavailable', reason };
}
