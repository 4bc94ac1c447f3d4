/** Sums by name. It keeps no name whose sum is zero, so it does not grow with the names that it has seen. */
export type Tally = {
  /** @param by the change of the sum, which may be negative */
  add(name: string, by: number): void;
  /** The sum of a name; zero if nothing was added. */
  of(name: string): number;
};

export const createTally = (): Tally => {
  const sums = new Map<string, number>();
  const of = (name: string): number => sums.get(name) ?? 0;
  return {
    add(name, by) {
      const sum = of(name) + by;
      if (sum === 0) sums.delete(name);
      else sums.set(name, sum);
    },
    of,
  };
};
