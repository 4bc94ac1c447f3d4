import { expect, test } from 'vitest';
import {
  childrenOf,
  edgesOf,
  entropyOf,
  equalPairs,
  pairOf,
  pairReader,
  rankMatch,
  rightGuesses,
  sharedWith,
  surnameAmong,
  tokenReader,
} from './attack.ts';
import { candidatesOf, costOf, postingsOf, type SearchKind } from './cost.ts';
import { keysOfKnown, knownSurname } from './known.ts';
import { beginningsOf, type Country, countryOf } from './names.ts';
import { countsOf, indexOf, keysOf, populationOf, randomOf, tokensOf } from './population.ts';
import { profileMatch } from './profiles.ts';

/** Three surnames and three first names with clearly different frequencies. */
const country: Country = {
  first: { names: ['james', 'maria', 'jo'], parts: Float64Array.of(0.5, 0.4, 0.1) },
  last: { names: ['smith', 'smiley', 'brown'], parts: Float64Array.of(0.6, 0.28, 0.12) },
};
const keys = keysOf(country);
const people = populationOf(country, 20_000, randomOf(1));
const keyOf = (text: string): number => keys.texts.indexOf(text);

test('rank matching gives the most frequent key to the token with the most patients', () => {
  expect([...rankMatch([5, 90, 30], [0.3, 0.1, 0.6])]).toEqual([1, 2, 0]);
});

test('rank matching gives no key to tokens that outnumber the keys', () => {
  expect([...rankMatch([5, 90, 30], [0.1, 0.9])]).toEqual([-1, 1, 0]);
});

test('of all assignments, rank matching has the highest Poisson likelihood', () => {
  const counts = [12, 40, 3, 25];
  const expected = [30, 5, 20, 10];
  const likelihood = (assigned: readonly number[]) =>
    counts.reduce((sum, count, token) => sum + count * Math.log(expected[assigned[token] as number] ?? 0), 0);
  const permutations = (rest: number[]): number[][] =>
    rest.length === 0
      ? [[]]
      : rest.flatMap((each) =>
          permutations(rest.filter((other) => other !== each)).map((tail) => [each, ...tail]),
        );
  const best = Math.max(...permutations([0, 1, 2, 3]).map(likelihood));
  expect(likelihood([...rankMatch(counts, expected)])).toBe(best);
});

test('keys have the parts of the people of all names that begin with them', () => {
  expect(keys.lastParts[keyOf('smi')]).toBeCloseTo(0.88);
  expect(keys.lastParts[keyOf('smith')]).toBeCloseTo(0.6);
  expect(keys.firstParts[keyOf('smi')]).toBe(0);
  expect(keyOf('jo')).toBe(-1);
});

test.each([12, undefined])('both attacks find the three surnames in an index of %s bits', (bits) => {
  const tokens = tokensOf(keys, bits, 7);
  const index = indexOf(people, keys, tokens, [0, 1]);
  const expected = keys.texts.map(
    (_, key) => 1 - (1 - (keys.firstParts[key] ?? 0)) * (1 - (keys.lastParts[key] ?? 0)),
  );
  // `jam` has the patients of `james`, so their order is a matter of chance. The surnames `smi` and `smith` differ.
  const guesses = rankMatch(countsOf(index), expected);
  expect(guesses[tokens.ofKey[keyOf('smi')] ?? -1]).toBe(keyOf('smi'));
  expect(rightGuesses(index, people, keys, tokenReader(index, keys, guesses)).three).toBeGreaterThan(0.85);

  const children = childrenOf(keys, people.size);
  const pairs = profileMatch(edgesOf(index, countsOf(index)), children, countsOf(index), people.size, keys);
  const [three, five] = ['smi', 'smith'].map((text) => tokens.ofKey[keyOf(text)] ?? -1);
  expect(pairs.ofPair.get(pairOf(three ?? -1, five ?? -1))).toBe(keyOf('smith'));
  expect(rightGuesses(index, people, keys, pairReader(index, children, pairs)).five).toBe(1);
});

test('no guess is right when no token is read', () => {
  const index = indexOf(people, keys, tokensOf(keys, 12, 7), [0, 1]);
  const none = rightGuesses(index, people, keys, () => ({ threes: [], fives: [] }));
  expect(none).toEqual({ three: 0, five: 0 });
});

test('the surname among the keys of a patient is the one that is no first name', () => {
  expect(surnameAmong([keyOf('james'), keyOf('brown')], keys)).toBe(keyOf('brown'));
});

test('an index has each token of a patient once, in ascending order', () => {
  const index = indexOf(people, keys, tokensOf(keys, 1, 7), [0, 1]);
  for (let patient = 0; patient < 100; patient++) {
    const own = [...index.tokens.subarray(index.starts[patient], index.starts[patient + 1])];
    expect(own).toEqual([...new Set(own)].sort());
    expect(own.length).toBeGreaterThan(0);
  }
});

test('computes entropy, sets that are shared, and pairs of equal values', () => {
  expect(entropyOf([1, 1, 1, 1])).toBe(2);
  expect(entropyOf([8, 0])).toBe(0);
  const sets = Float64Array.of(1, 2, 2, 3, 3, 3);
  expect(sharedWith(sets, [0, 1, 2])).toEqual([1 / 6, 3 / 6, 1]);
  expect(equalPairs(sets)).toBe(4);
});

test('the country has the frequencies of the census', () => {
  const { first, last } = countryOf();
  expect(last.names).toHaveLength(88_799);
  const share = (names: readonly string[], parts: Float64Array, name: string) => parts[names.indexOf(name)];
  expect(share(last.names, last.parts, 'smith')).toBeCloseTo(0.01006 / 0.90483, 5);
  expect(share(first.names, first.parts, 'mary')).toBeCloseTo(0.02629 / 0.90024 / 2, 3);
  expect(beginningsOf(last, 3).get('smi')).toBeGreaterThan(0.011);
});

test('a search examines the patients who have all of its tokens', () => {
  const own = keysOf(country);
  const four = {
    size: 4,
    first: Int32Array.of(0, 0, 1, 2),
    last: Int32Array.of(0, 1, 0, 2),
    phone: Float64Array.of(1, 1, 2, 3),
  };
  const tokens = tokensOf(own, undefined, 7);
  const postings = postingsOf(indexOf(four, own, tokens, [0, 1]));
  const phones = { counts: new Map([[1, 2]]), digits: 6 as const };
  const james = [{ patient: 0, found: 1 }];
  const candidates = (kind: SearchKind) => candidatesOf(kind, james, four, own, tokens, postings, phones);
  expect(candidates('surname, 3 letters')).toEqual([3]);
  expect(candidates('surname, whole, 5 or more letters')).toEqual([2]);
  expect(candidates('first name and surname, whole')).toEqual([1]);
  expect(candidates('telephone, whole')).toEqual([2]);
  expect(
    costOf(
      [
        { patient: 0, found: 2 },
        { patient: 1, found: 4 },
      ],
      [6, 20_000],
    ),
  ).toEqual({
    wrong: 10_000,
    perFound: 5000,
    large: 0.5,
  });
});

test('known patients give keys to the tokens of others', () => {
  const tokens = tokensOf(keys, undefined, 7);
  const { ofToken, ofPair } = keysOfKnown([0], people, keys, tokens);
  const place = (people.last[0] ?? 0) * 2;
  expect(ofToken.get(tokens.ofKey[keys.last[place] ?? -1] ?? -1)).toBe(keys.last[place]);
  expect(ofPair.size).toBeLessThanOrEqual(2);
  // Of those with the tokens of a surname, all have it, because no two keys have the same token.
  const index = indexOf(people, keys, tokens, [0, 1]);
  expect(knownSurname(0, people, keys, tokens, postingsOf(index), index)).toEqual({ three: 1, five: 1 });
});
