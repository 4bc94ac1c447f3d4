import { createHash } from 'node:crypto';

/** Pseudo-random choices. The same seed gives the same choices. */
export type Random = {
  /** An integer from 0 up to, but not including, `limit`. */
  below(limit: number): number;
  pick<T>(list: readonly T[]): T;
  /** One of the keys, with a probability according to its weight. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K;
};

/** @param stream name of an independent sequence, so that more choices of one stream do not change the others */
export const openRandom = (seed: number, stream: string): Random => {
  let count = 0;
  const below = (limit: number): number => {
    const hash = createHash('sha256').update(`${seed} ${stream} ${count++}`).digest();
    return hash.readUInt32BE() % limit;
  };
  return {
    below,
    pick<T>(list: readonly T[]): T {
      return list[below(list.length)] as T;
    },
    weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
      const entries = Object.entries(weights) as [K, number][];
      let rest = below(entries.reduce((sum, [, weight]) => sum + weight, 0));
      const found = entries.find(([, weight]) => {
        rest -= weight;
        return rest < 0;
      });
      return (found as [K, number])[0];
    },
  };
};
