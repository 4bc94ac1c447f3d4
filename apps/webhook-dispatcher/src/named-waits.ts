/** Awaits work by its name. */
export type WaitFor = (name: string, work: Promise<unknown>) => Promise<void>;

/** Waits that know what they wait for, so that whoever loses patience can say it. */
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
