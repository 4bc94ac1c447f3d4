/** Waits for work, and remembers the name of the work until the work has ended. */
export type WaitFor = (name: string, work: Promise<unknown>) => Promise<void>;

/** Named waits. When a shutdown times out, the log names the work that is still unfinished. */
export const createWait = (): { waitFor: WaitFor; waitedFor(): string[] } => {
  const names = new Set<string>();
  return {
    async waitFor(name, work) {
      names.add(name);
      await work;
      names.delete(name);
    },
    waitedFor: () => [...names],
  };
};
