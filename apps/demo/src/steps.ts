/** Prints what happens, one line for each step, with a mark and its time. */
export type Steps = {
  /** Runs a step; what it returns may name what it found, to be shown on its line. */
  run<T>(
    name: string,
    work: (say: (line: string) => void) => Promise<T>,
    found?: (result: T) => string,
  ): Promise<T>;
};

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** @param signal once it is aborted, no step begins: its reason is thrown instead */
export const createSteps = (print: (line: string) => void, signal: AbortSignal): Steps => ({
  async run(name, work, found) {
    signal.throwIfAborted();
    const begun = performance.now();
    try {
      const result = await work((line) => print(`  · ${line}`));
      const detail = found?.(result);
      print(`✓ ${detail === undefined ? name : `${name}: ${detail}`} (${seconds(begun)})`);
      return result;
    } catch (error) {
      print(
        `${signal.aborted ? '·' : '✗'} ${name}${signal.aborted ? ' was interrupted' : ''} (${seconds(begun)})`,
      );
      throw error;
    }
  },
});
