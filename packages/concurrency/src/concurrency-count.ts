import { createTally } from './tally.ts';

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
  const { add, of } = createTally();
  return {
    begin(places) {
      const full = places.find(({ name, max }) => of(name) >= max);
      if (full !== undefined) return { full };
      for (const { name } of places) add(name, 1);
      let hasEnded = false;
      return {
        end() {
          if (hasEnded) return;
          hasEnded = true;
          for (const { name } of places) add(name, -1);
        },
      };
    },
    of,
  };
};
