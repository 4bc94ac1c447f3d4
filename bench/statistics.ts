/**
 * The value below which this part of the values lies.
 *
 * @param part from 0 (the lowest) to 1 (the highest)
 * @returns NaN if there are no values
 */
export const quantile = (values: readonly number[], part: number): number => {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.round((sorted.length - 1) * part)] ?? Number.NaN;
};

/** One of the items, at random. */
export const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T;

/** The same items in a new order. */
export const shuffled = <T>(list: readonly T[]): T[] =>
  list
    .map((item) => ({ item, rank: Math.random() }))
    .sort((left, right) => left.rank - right.rank)
    .map(({ item }) => item);

/** The median with the lowest and the highest value: `12.1 (11.8 to 13.0)`. */
export const spread = (values: readonly number[], digits = 0): string => {
  const [median, lowest, highest] = [0.5, 0, 1].map((part) => quantile(values, part).toFixed(digits));
  return `${median} (${lowest} to ${highest})`;
};
