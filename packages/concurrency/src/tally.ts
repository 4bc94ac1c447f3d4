/** Sums by name. It keeps no name whose sum is zero, so it does not grow with the names that it has seen. */
export type Tally = {
  /** @param by the change of the sum, which may be negative */
  add(name: string, by: number): void;
  /** The sum of a name; zero if nothing was added. */
  of(name: string): number;
  /** The sum over all names. */
  total(): number;
  /** The highest of the sums; zero if nothing was added. */
  highest(): number;
};

export const createTally = (): Tally => {
  const sums = new Map<string, number>();
  let total = 0;
  const of = (name: string): number => sums.get(name) ?? 0;
  return {
    add(name, by) {
      total += by;
      const sum = of(name) + by;
      if (sum === 0) sums.delete(name);
      else sums.set(name, sum);
    },
    of,
    total: () => total,
    highest: () => Math.max(0, ...sums.values()),
  };
};
