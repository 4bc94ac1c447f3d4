// What an attacker learns who has the index and knows how frequent names are in the country, but does not have the key.
import { type Index, type Keys, PER_WORD, type Population, runsOf, type Tokens } from './population.ts';

const descending = (values: ArrayLike<number>): Int32Array =>
  Int32Array.from({ length: values.length }, (_, index) => index).sort(
    (one, other) => (values[other] as number) - (values[one] as number) || one - other,
  );

/**
 * Guesses which key each token stands for: the token with the most patients stands for the most frequent key, and so on. Of all
 * assignments with one key for each token, this one has the maximum likelihood if counts have a Poisson distribution, because the
 * sum of `count * log(expected)` is largest when both are in the same order.
 *
 * @returns the key of each token; -1 if there are more tokens than keys
 */
export const rankMatch = (counts: ArrayLike<number>, expected: ArrayLike<number>): Int32Array => {
  const guesses = new Int32Array(counts.length).fill(-1);
  const keys = descending(expected);
  for (const [rank, token] of descending(counts).entries()) guesses[token] = keys[rank] ?? -1;
  return guesses;
};

/** Two tokens that more patients have together than chance explains. */
export type Edge = { one: number; other: number; excess: number; noise: number };

const PAIR = 2 ** 21;
/** How far a number of patients must be above chance, in standard deviations. */
const SIGNIFICANT = 5;

/** The pairs of tokens that belong together, as the tokens of one word do, the most frequent first. */
export const edgesOf = (index: Index, counts: Int32Array): Edge[] => {
  let pairs = 0;
  const lengths = Array.from({ length: index.size }, (_, patient) => {
    const length = (index.starts[patient + 1] as number) - (index.starts[patient] as number);
    pairs += (length * (length - 1)) / 2;
    return length;
  });
  const codes = new Float64Array(pairs);
  let at = 0;
  for (const [patient, length] of lengths.entries()) {
    const start = index.starts[patient] as number;
    for (let one = start; one < start + length; one++)
      for (let other = one + 1; other < start + length; other++)
        codes[at++] = (index.tokens[one] as number) * PAIR + (index.tokens[other] as number);
  }
  codes.sort();
  const edges: Edge[] = [];
  for (const { value, length } of runsOf(codes)) {
    const [one, other] = [Math.floor(value / PAIR), value % PAIR];
    const chance = ((counts[one] as number) * (counts[other] as number)) / index.size;
    // If all patients with one token have the other one, too, this is their number.
    const excess =
      (length - chance) / (1 - Math.max(counts[one] as number, counts[other] as number) / (index.size + 1));
    if (excess > 2 && excess > SIGNIFICANT * Math.sqrt(chance + 1))
      edges.push({ one, other, excess, noise: chance });
  }
  return edges.sort((one, other) => other.excess - one.excess);
};

/** The beginnings of 5 letters with the beginning of 3 letters that they have, as keys, and their expected patients. */
export type Child = { key: number; parent: number; expected: number };

export const childrenOf = (keys: Keys, size: number): Child[] => {
  const parents = new Map<number, number>();
  for (const list of [keys.first, keys.last])
    for (let at = 0; at < list.length; at += PER_WORD)
      if ((list[at + 1] as number) >= 0) parents.set(list[at + 1] as number, list[at] as number);
  return [...parents]
    .map(([key, parent]) => ({ key, parent, expected: size * partOf(keys, key) }))
    .sort((one, other) => other.expected - one.expected);
};

/** The part of the patients who have this key. */
export const partOf = ({ firstParts, lastParts }: Keys, key: number): number =>
  1 - (1 - (firstParts[key] as number)) * (1 - (lastParts[key] as number));

/** Guesses of the attacker: the key of a token, and the key of 5 letters of a pair of tokens. */
export type Guesses = { ofToken: ReadonlyMap<number, number>; ofPair: ReadonlyMap<number, number> };

export const pairOf = (one: number, other: number): number =>
  Math.min(one, other) * PAIR + Math.max(one, other);

/** The keys that the attacker reads from the tokens of a patient: of 3 letters and of 5 letters. */
type Reading = { threes: number[]; fives: number[] };

/** What is read of a name that is too rare to be recognized. */
const UNKNOWN = 1e-6;

/**
 * The key that is most probably one of the surname, if another one is of the first name. First names and surnames do not
 * depend on each other.
 */
export const surnameAmong = (read: readonly number[], { firstParts, lastParts }: Keys): number => {
  let [best, highest] = [-1, Number.NEGATIVE_INFINITY];
  for (const key of read) {
    let first = UNKNOWN;
    for (const other of read) if (other !== key) first = Math.max(first, firstParts[other] as number);
    const score = Math.log((lastParts[key] as number) + UNKNOWN) + Math.log(first);
    if (score > highest) [best, highest] = [key, score];
  }
  return best;
};

/** The part of the patients whose surname begins with the 3 letters and with the 5 letters that the attacker guesses. */
export type Right = { three: number; five: number };

/**
 * Guesses the beginning of each surname, and counts the right guesses.
 *
 * @param read the keys that the attacker reads from the tokens at `from` to `to`
 */
export const rightGuesses = (
  index: Index,
  people: Population,
  keys: Keys,
  read: (from: number, to: number) => Reading,
): Right => {
  let [three, five] = [0, 0];
  for (let patient = 0; patient < index.size; patient++) {
    const { threes, fives } = read(index.starts[patient] as number, index.starts[patient + 1] as number);
    const place = (people.last[patient] as number) * PER_WORD;
    if (threes.length > 0 && surnameAmong(threes, keys) === keys.last[place]) three++;
    if (fives.length > 0 && surnameAmong(fives, keys) === keys.last[place + 1]) five++;
  }
  return { three: three / index.size, five: five / index.size };
};

/** Reads each token as the key that was guessed for it. */
export const tokenReader = (index: Index, keys: Keys, guesses: ArrayLike<number>) => {
  const isFive = keys.texts.map((text) => text.length === 5);
  return (from: number, to: number): Reading => {
    const reading: Reading = { threes: [], fives: [] };
    for (let at = from; at < to; at++) {
      const key = guesses[index.tokens[at] as number] ?? -1;
      if (key >= 0) (isFive[key] ? reading.fives : reading.threes).push(key);
    }
    return reading;
  };
};

/** Reads each pair of tokens as the key that was guessed for it, and a token of no such pair by itself. */
export const pairReader = (index: Index, children: readonly Child[], { ofToken, ofPair }: Guesses) => {
  const parents = new Map(children.map(({ key, parent }) => [key, parent]));
  return (from: number, to: number): Reading => {
    const fives: number[] = [];
    const used = new Set<number>();
    for (let one = from; one < to; one++)
      for (let other = one + 1; other < to; other++) {
        const [low, high] = [index.tokens[one] as number, index.tokens[other] as number];
        const key = ofPair.get(low * PAIR + high);
        if (key === undefined) continue;
        fives.push(key);
        used.add(low).add(high);
      }
    const threes = fives.map((key) => parents.get(key) ?? -1);
    for (let at = from; at < to; at++) {
      const token = index.tokens[at] as number;
      const key = used.has(token) ? undefined : ofToken.get(token);
      if (key !== undefined) threes.push(key);
    }
    return { threes, fives };
  };
};

/**
 * The part of the surnames whose first 3 letters rank matching finds, if the attacker could tell the token of a surname from that
 * of a first name. The index does not tell them apart. This estimates what a better use of the frequencies would reach.
 */
export const rightByRole = (people: Population, keys: Keys, tokens: Tokens): number => {
  const counts = new Int32Array(tokens.count);
  const threeOf = (patient: number) => keys.last[(people.last[patient] as number) * PER_WORD] as number;
  for (let patient = 0; patient < people.size; patient++) {
    const key = threeOf(patient);
    if (key >= 0) counts[tokens.ofKey[key] as number] = (counts[tokens.ofKey[key] as number] as number) + 1;
  }
  const expected = keys.lastParts.map((part, key) => (keys.texts[key]?.length === 3 ? part : 0));
  const guesses = rankMatch(counts, expected);
  let right = 0;
  for (let patient = 0; patient < people.size; patient++) {
    const key = threeOf(patient);
    if (key >= 0 && guesses[tokens.ofKey[key] as number] === key) right++;
  }
  return right / people.size;
};

/** The entropy of a distribution, in bits. */
export const entropyOf = (parts: Iterable<number>): number => {
  let [total, sum] = [0, 0];
  for (const part of parts)
    if (part > 0) {
      total += part;
      sum += part * Math.log2(part);
    }
  return total === 0 ? 0 : Math.log2(total) - sum / total;
};

/** The part of the patients who share their tokens with at most this many others, for each number. */
export const sharedWith = (sets: Float64Array, others: readonly number[]): number[] => {
  const patients = others.map(() => 0);
  for (const { length } of runsOf(sets))
    for (const [place, most] of others.entries())
      if (length - 1 <= most) patients[place] = (patients[place] as number) + length;
  return patients.map((count) => count / sets.length);
};

/** The number of pairs of patients with the same value, from sorted values. */
export const equalPairs = (sorted: Float64Array): number => {
  let pairs = 0;
  for (const { length } of runsOf(sorted)) pairs += (length * (length - 1)) / 2;
  return pairs;
};
