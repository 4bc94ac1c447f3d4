// What a search costs: how many patients it examines for those that it finds.
import { quantile } from '../statistics.ts';
import type { Country } from './names.ts';
import { type Index, type Keys, PER_WORD, type Population, type Tokens } from './population.ts';

/** The searches that are compared. */
export const SEARCHES = {
  'surname, 3 letters': { letters: 3 },
  'surname, 4 letters': { letters: 4 },
  'surname, whole, 5 or more letters': { letters: 99 },
  'first name and surname, whole': { letters: 99, isBoth: true },
  'telephone, whole': { digits: true },
} as const satisfies Record<string, { letters: number; isBoth?: true } | { digits: true }>;
export type SearchKind = keyof typeof SEARCHES;

/** A search with the number of patients that it finds. */
export type Search = { patient: number; found: number };

/** How many of its last digits a number is found by. */
export type Digits = 6 | 8;
/** The digits by which a number is found. 8 digits are another text than 6, so they have 10^9 more. */
export const digitsOf = (phone: number, digits: Digits): number =>
  digits === 6 ? phone % 1e6 : 1e9 + (phone % 1e8);

/** The patients for whom this is true. */
const countIf = (people: Population, isFound: (patient: number) => boolean): number => {
  let found = 0;
  for (let patient = 0; patient < people.size; patient++) if (isFound(patient)) found++;
  return found;
};

/** Whether a word of the name of a patient begins with this text. */
const beginsWith = ({ first, last }: Country, people: Population, start: string) => {
  const [ofFirst, ofLast] = [first, last].map(({ names }) => names.map((name) => name.startsWith(start)));
  return (patient: number): boolean =>
    (ofFirst?.[people.first[patient] as number] || ofLast?.[people.last[patient] as number]) === true;
};

/** Searches for patients that are drawn. For names, those whose surname is long enough. */
export const searchesOf = (
  kind: SearchKind,
  country: Country,
  people: Population,
  count: number,
  random: () => number,
): Search[] => {
  const asked = SEARCHES[kind];
  const searchFor = (patient: number): Search | undefined => {
    if ('digits' in asked) {
      const wanted = people.phone[patient];
      return { patient, found: countIf(people, (each) => people.phone[each] === wanted) };
    }
    const last = country.last.names[people.last[patient] as number] ?? '';
    if (last.length < Math.min(asked.letters, 5)) return undefined;
    const isFound = beginsWith(country, people, last.slice(0, asked.letters));
    const first = country.first.names[people.first[patient] as number] ?? '';
    const isOther = 'isBoth' in asked ? beginsWith(country, people, first) : () => true;
    return { patient, found: countIf(people, (each) => isFound(each) && isOther(each)) };
  };
  const searches: Search[] = [];
  while (searches.length < count) {
    const search = searchFor(Math.floor(random() * people.size));
    if (search !== undefined) searches.push(search);
  }
  return searches;
};

/** The patients with each token, in ascending order: those of a token from `starts[token]` to `starts[token + 1]`. */
export type Postings = { starts: Int32Array; patients: Int32Array };

export const postingsOf = (index: Index): Postings => {
  const starts = new Int32Array(index.count + 1);
  for (const token of index.tokens) starts[token + 1] = (starts[token + 1] as number) + 1;
  for (let token = 0; token < index.count; token++)
    starts[token + 1] = (starts[token + 1] as number) + (starts[token] as number);
  const patients = new Int32Array(index.tokens.length);
  const next = starts.slice();
  for (let patient = 0; patient < index.size; patient++)
    for (let at = index.starts[patient] as number; at < (index.starts[patient + 1] as number); at++) {
      const token = index.tokens[at] as number;
      patients[next[token] as number] = patient;
      next[token] = (next[token] as number) + 1;
    }
  return { starts, patients };
};

/** The number of patients who have both tokens. */
const withBoth = ({ starts, patients }: Postings, one: number, other: number): number => {
  let [left, right, both] = [starts[one] as number, starts[other] as number, 0];
  const [leftEnd, rightEnd] = [starts[one + 1] as number, starts[other + 1] as number];
  while (left < leftEnd && right < rightEnd) {
    const difference = (patients[left] as number) - (patients[right] as number);
    if (difference === 0) both++;
    if (difference <= 0) left++;
    if (difference >= 0) right++;
  }
  return both;
};

/** The number of patients that each search examines. */
export const candidatesOf = (
  kind: SearchKind,
  searches: readonly Search[],
  people: Population,
  keys: Keys,
  tokens: Tokens,
  postings: Postings,
  phones: { counts: ReadonlyMap<number, number>; digits: Digits },
): number[] => {
  const asked = SEARCHES[kind];
  const tokenOf = (list: Int32Array, name: number, letters: number): number | undefined => {
    const [three, five] = [list[name * PER_WORD] as number, list[name * PER_WORD + 1] as number];
    const key = letters >= 5 && five >= 0 ? five : three;
    return key < 0 ? undefined : tokens.ofKey[key];
  };
  return searches.map(({ patient }) => {
    if ('digits' in asked)
      return (
        phones.counts.get(tokens.ofDigits(digitsOf(people.phone[patient] as number, phones.digits))) ?? 0
      );
    const last = tokenOf(keys.last, people.last[patient] as number, asked.letters) as number;
    const first =
      'isBoth' in asked ? tokenOf(keys.first, people.first[patient] as number, asked.letters) : undefined;
    if (first === undefined || first === last)
      return (postings.starts[last + 1] as number) - (postings.starts[last] as number);
    return withBoth(postings, first, last);
  });
};

export type Cost = {
  /** Patients that are examined and not found, on average. */
  wrong: number;
  /** The median of examined patients for each that is found. */
  perFound: number;
  /** The part of the searches that examine more than 10,000 patients. */
  large: number;
};

export const costOf = (searches: readonly Search[], candidates: readonly number[]): Cost => {
  const found = (at: number): number => searches[at]?.found ?? 1;
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return {
    wrong: sum(candidates.map((count, at) => count - found(at))) / candidates.length,
    perFound: quantile(
      candidates.map((count, at) => count / found(at)),
      0.5,
    ),
    large: candidates.filter((count) => count > 10_000).length / candidates.length,
  };
};
