/** A name under which work is counted, and how much of it may run at the same time. */
export type Place = { name: string; max: number };

/** Counts what runs at the same time, under several names at once. */
export type ConcurrencyCount = {
  /**
   * Counts one more piece of work under the names of all places, unless one of them has reached its maximum.
   *
   * @returns the first place that has reached its maximum, or a function that ends the work; only its first call counts
   */
  begin<P extends Place>(places: readonly P[]): { full: P } | { full?: undefined; end(): void };
  /** How much runs under a name. */
  of(name: string): number;
};

export const createConcurrencyCount = (): ConcurrencyCount => {
  const running = new Map<string, number>();
  const change = (name: string, by: 1 | -1): void => {
    const left = (running.get(name) ?? 0) + by;
    if (left === 0) running.delete(name);
    else running.set(name, left);
  };
  const of = (name: string): number => running.get(name) ?? 0;
  return {
    begin(places) {
      const full = places.find(({ name, max }) => of(name) >= max);
      if (full !== undefined) return { full };
      for (const { name } of places) change(name, 1);
      let hasEnded = false;
      return {
        end() {
          if (hasEnded) return;
          hasEnded = true;
          for (const { name } of places) change(name, -1);
        },
      };
    },
    of,
  };
};
