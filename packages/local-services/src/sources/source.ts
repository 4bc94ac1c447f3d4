import type { EnginePlan } from '../engine-plan.ts';

/** The context in which a source searches. */
export type Search = {
  /** An absolute path. The directory is created when something is stored. */
  cacheDirectory: string;
  environment: NodeJS.ProcessEnv;
  onProgress: (line: string) => void;
  signal: AbortSignal;
};

/** @typeParam Plan the result of a successful search: a way to run an engine, or a browser */
export type Finding<Plan = EnginePlan> =
  /** The server already runs, and must not be started or stopped. */
  | { outcome: 'given'; url: string; description: string }
  /** `insist`: the user has explicitly selected this program, so no other source is tried if it does not run. */
  | { outcome: 'found'; plan: Plan; insist?: boolean }
  | { outcome: 'unavailable'; reason: string };

/**
 * One way to obtain an engine or a browser. `find` searches, and downloads or builds if necessary, but starts nothing.
 * If it throws, the error is recorded as the reason, and the next source is tried. Three kinds of errors end the
 * search: an abort, a `LocalServicesError`, which means that the user has explicitly selected something that cannot be
 * used, and an error that means that this machine cannot store files.
 */
export type Source<Plan = EnginePlan> = {
  /** The name in the list of sources that were tried, such as "mongod on PATH". */
  name: string;
  find(search: Search): Promise<Finding<Plan>>;
};

export function unavailable(reason: string): Finding<never> {
  return { outcome: 'unavailable', reason };
}
