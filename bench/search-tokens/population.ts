// Patients with the names of a country, and the tokens that a stolen index shows.
import type { Country, NameList } from './names.ts';

/** Numbers from 0 to 1 that the seed determines (mulberry32). */
export const randomOf = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** Draws an index with the probability of its part. */
const drawerOf = (parts: Float64Array, random: () => number): (() => number) => {
  const sums = new Float64Array(parts.length);
  let total = 0;
  for (const [index, part] of parts.entries()) {
    total += part;
    sums[index] = total;
  }
  return () => {
    const at = random() * total;
    let [low, high] = [0, sums.length - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sums[middle] as number) > at) high = middle;
      else low = middle + 1;
    }
    return low;
  };
};

/** The search keys of the words of a country. Each has a number, which is its place in `texts`. */
export type Keys = {
  texts: readonly string[];
  /** The keys of a name of the list: its first 3 and its first 5 letters, -1 if it is shorter. */
  first: Int32Array;
  last: Int32Array;
  /** The part of the people whose first name has this key, and of those whose surname has it. */
  firstParts: Float64Array;
  lastParts: Float64Array;
};

/** The numbers of first letters that may have tokens. */
const LETTERS = [3, 5] as const;
/** The number of keys of a word. */
export const PER_WORD = LETTERS.length;

export const keysOf = ({ first, last }: Country): Keys => {
  const numbers = new Map<string, number>();
  const listed = ({ names }: NameList) => {
    const keys = new Int32Array(names.length * PER_WORD).fill(-1);
    for (const [index, name] of names.entries())
      for (const [place, count] of LETTERS.entries()) {
        if (name.length < count) continue;
        const key = name.slice(0, count);
        const number = numbers.get(key) ?? numbers.size;
        numbers.set(key, number);
        keys[index * PER_WORD + place] = number;
      }
    return keys;
  };
  const [ofFirst, ofLast] = [listed(first), listed(last)];
  const partsOf = (keys: Int32Array, { parts }: NameList) => {
    const sums = new Float64Array(numbers.size);
    for (const [place, key] of keys.entries())
      if (key >= 0) sums[key] = (sums[key] as number) + (parts[Math.floor(place / PER_WORD)] ?? 0);
    return sums;
  };
  return {
    texts: [...numbers.keys()],
    first: ofFirst,
    last: ofLast,
    firstParts: partsOf(ofFirst, first),
    lastParts: partsOf(ofLast, last),
  };
};

export type Population = {
  size: number;
  /** Places in the lists of the country. */
  first: Int32Array;
  last: Int32Array;
  /** Ten digits. */
  phone: Float64Array;
};

/** The sizes of households and the part of the households that has them, as in the USA, up to 6. */
const HOUSEHOLDS = Float64Array.of(0.28, 0.35, 0.15, 0.13, 0.06, 0.03);
const AREA_CODES = [212, 315, 516, 607, 718];

/**
 * Patients in households with one surname. In half of the households, all patients have the same telephone number; in the
 * others, each has one of their own. First names, surnames and telephone numbers do not depend on each other.
 */
export const populationOf = (country: Country, size: number, random: () => number): Population => {
  const [firstName, lastName] = [drawerOf(country.first.parts, random), drawerOf(country.last.parts, random)];
  const household = drawerOf(HOUSEHOLDS, random);
  const number = () =>
    (AREA_CODES[Math.floor(random() * AREA_CODES.length)] ?? 0) * 1e7 + 2e6 + Math.floor(random() * 8e6);
  const people = {
    size,
    first: new Int32Array(size),
    last: new Int32Array(size),
    phone: new Float64Array(size),
  };
  for (let at = 0; at < size; ) {
    const [last, shared, isShared] = [lastName(), number(), random() < 0.5];
    for (let left = household() + 1; left > 0 && at < size; left--, at++) {
      people.first[at] = firstName();
      people.last[at] = last;
      people.phone[at] = isShared ? shared : number();
    }
  }
  return people;
};

/** The token of a key. Without the secret, HMAC-SHA-256 cannot be told from the random functions that stand in for it. */
export type Tokens = {
  /** The tokens of name keys are below this number. */
  count: number;
  ofKey: Int32Array;
  ofDigits(digits: number): number;
};

/** @param bits undefined: each key has a token of its own */
export const tokensOf = (keys: Keys, bits: number | undefined, seed: number): Tokens => {
  const random = randomOf(seed);
  const order = Int32Array.from(keys.texts.keys());
  if (bits === undefined) {
    for (let at = order.length - 1; at > 0; at--) {
      const other = Math.floor(random() * (at + 1));
      [order[at], order[other]] = [order[other] as number, order[at] as number];
    }
    return { count: order.length, ofKey: order, ofDigits: (digits) => digits };
  }
  const salt = Math.floor(random() * 2 ** 32);
  const mix = (value: number): number => {
    let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return (mixed ^ (mixed >>> 16)) >>> 0;
  };
  return {
    count: 2 ** bits,
    ofKey: order.map(() => Math.floor(random() * 2 ** bits)),
    ofDigits: (digits) =>
      mix(mix((digits ^ salt) >>> 0) ^ Math.floor(digits / 2 ** 16) ^ salt) >>> (32 - bits),
  };
};

/** What the index shows of the names: the tokens of patient `i` from `starts[i]` to `starts[i + 1]`, in ascending order. */
export type Index = { size: number; count: number; starts: Int32Array; tokens: Int32Array };

/** @param kinds the keys of a word that have tokens: `[0, 1]` for 3 and 5 letters, `[0]` for 3 letters alone */
export const indexOf = (people: Population, keys: Keys, tokens: Tokens, kinds: readonly number[]): Index => {
  const starts = new Int32Array(people.size + 1);
  const all = new Int32Array(people.size * kinds.length * 2);
  let at = 0;
  for (let patient = 0; patient < people.size; patient++) {
    starts[patient] = at;
    for (const [of, names] of [
      [keys.first, people.first],
      [keys.last, people.last],
    ] as const)
      for (const kind of kinds) {
        const key = of[(names[patient] as number) * PER_WORD + kind] as number;
        if (key < 0) continue;
        const token = tokens.ofKey[key] as number;
        let place = at;
        while (place > (starts[patient] as number) && (all[place - 1] as number) > token) place--;
        if (place > (starts[patient] as number) && all[place - 1] === token) continue;
        all.copyWithin(place + 1, place, at);
        all[place] = token;
        at++;
      }
  }
  starts[people.size] = at;
  return { size: people.size, count: tokens.count, starts, tokens: all.subarray(0, at) };
};

/** The number of patients with each token. */
export const countsOf = ({ count, tokens }: Index): Int32Array => {
  const counts = new Int32Array(count);
  for (const token of tokens) counts[token] = (counts[token] as number) + 1;
  return counts;
};

/** How many times each value of a sorted list occurs: the lengths of its runs. */
export function* runsOf(sorted: Float64Array): Generator<{ value: number; length: number }> {
  for (let at = 0; at < sorted.length; ) {
    const start = at;
    while (at < sorted.length && sorted[at] === sorted[start]) at++;
    yield { value: sorted[start] as number, length: at - start };
  }
}
