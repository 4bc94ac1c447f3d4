/** Prints one line for each step, with a mark and the duration. */
export type Steps = {
  /** Runs a step. `found` describes the result for the step's line. */
  run<T>(
    name: string,
    work: (say: (line: string) => void) => Promise<T>,
    found?: (result: T) => string,
  ): Promise<T>;
};

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** @param signal once it is aborted, a new step throws its reason instead of running */
export const createSteps = (print: (line: string) => void, signal: AbortSignal): Steps => ({
  async run(name, work, found) {
    signal.throwIfAborted();
    const startedAt = performance.now();
    try {
      const result = await work((line) => print(`  · ${line}`));
      const detail = found?.(result);
      print(`✓ ${detail === undefined ? name : `${name}: ${detail}`} (${seconds(startedAt)})`);
      return result;
    } catch (error) {
      print(
        `${signal.aborted ? '·' : '✗'} ${name}${signal.aborted ? ' was interrupted' : ''} (${seconds(startedAt)})`,
      );
      throw error;
    }
  },
});
