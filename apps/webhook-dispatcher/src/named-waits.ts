/** Waits for a promise, and remembers its name until the promise is fulfilled. */
export type WaitFor = (name: string, work: Promise<unknown>) => Promise<void>;

/** Remembers the names of unfinished work. When a shutdown times out, the log contains these names. */
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
