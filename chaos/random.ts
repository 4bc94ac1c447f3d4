import { createHash } from 'node:crypto';

/** Numbers that look random and are the same for the same seed. */
export type Random = {
  /** A whole number from 0 to `limit`, without it. */
  below(limit: number): number;
  pick<T>(list: readonly T[]): T;
  /** One of the keys, each as often as its weight says. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K;
};

/** @param stream who asks: each has a sequence of its own, so that one may ask more often and change nothing for others */
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
