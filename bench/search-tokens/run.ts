// Computes what searches by name and telephone number cost, and what a stolen index of their tokens tells, for different
// numbers of bits. No engine is needed.
// Usage: pnpm --filter @chairside/bench search-tokens [--census <folder>] [--sizes 10000,100000] [--write "what else ran"]
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { machine, optionOf, today } from '../report.ts';
import {
  childrenOf,
  edgesOf,
  entropyOf,
  equalPairs,
  pairReader,
  partOf,
  rankMatch,
  rightByRole,
  rightGuesses,
  sharedWith,
  tokenReader,
} from './attack.ts';
import {
  type Cost,
  candidatesOf,
  costOf,
  type Digits,
  digitsOf,
  postingsOf,
  SEARCHES,
  type SearchKind,
  searchesOf,
} from './cost.ts';
import { guessedSurnames, keysOfKnown, knownSurname, phoneCodes, setCodes } from './known.ts';
import { beginningsOf, type Country, countryOf } from './names.ts';
import {
  countsOf,
  indexOf,
  type Keys,
  keysOf,
  type Population,
  populationOf,
  randomOf,
  type Tokens,
  tokensOf,
} from './population.ts';
import { profileMatch } from './profiles.ts';

const SEED = 2026;
/** `undefined` is the whole hash. */
const BITS = [8, 10, 11, 12, 13, 14, 16, 20, undefined] as const;
const SIZES = (optionOf('--sizes') ?? '10000,100000,1000000').split(',').map(Number);
const SEARCHED = 200;
const KNOWN = 1000;
/** Over how many keys of an organization the figures are averaged. */
const KEYS = 4;
/** What has tokens: the places of the beginnings of a word, and the ends of a number. */
const VARIANTS = [
  { name: 'Two tokens: 3 and 5 letters, 6 and 8 digits', kinds: [0, 1], digits: [6, 8] },
  { name: 'One token: 3 letters, 6 digits', kinds: [0], digits: [6] },
] as const satisfies { name: string; kinds: number[]; digits: Digits[] }[];

const census = optionOf('--census');
const country = countryOf(census);
const keys = keysOf(country);

const lines: string[] = [];
const say = (line = '') => {
  console.log(line);
  lines.push(line);
};
const table = (head: readonly string[], rows: readonly (readonly string[])[]) => {
  say(`| ${head.join(' | ')} |`);
  say(`|${' --- |'.repeat(head.length)}`);
  for (const row of rows) say(`| ${row.join(' | ')} |`);
  say();
};
const percent = (part: number): string => {
  const value = part * 100;
  if (value === 0 || value > 99.995) return `${Math.round(value)} %`;
  if (value < 0.05) return '< 0.1 %';
  return `${value.toFixed(value > 99.9 ? 2 : 1)} %`;
};
const whole = (value: number): string => Math.round(value).toLocaleString('en');
const bitsName = (bits: number | undefined): string => (bits === undefined ? 'whole hash' : String(bits));

/** How much two countries differ in the beginnings of their names. */
const compare = (one: Country, other: Country): string[][] =>
  [3, 5].flatMap((letters) =>
    (['last', 'first'] as const).map((list) => {
      const [left, right] = [beginningsOf(one[list], letters), beginningsOf(other[list], letters)];
      const texts = new Set([...left.keys(), ...right.keys()]);
      const distance = [...texts].reduce(
        (sum, text) => sum + Math.abs((left.get(text) ?? 0) - (right.get(text) ?? 0)) / 2,
        0,
      );
      const top = (of: Map<string, number>) => percent(Math.max(...of.values()));
      return [
        `${list === 'last' ? 'surname' : 'first name'}, ${letters} letters`,
        `${whole(left.size)} / ${whole(right.size)}`,
        `${entropyOf(left.values()).toFixed(2)} / ${entropyOf(right.values()).toFixed(2)}`,
        `${top(left)} / ${top(right)}`,
        percent(distance),
      ];
    }),
  );

/** The number of patients with each token of a telephone number. */
const phoneCounts = (people: Population, tokens: Tokens, digits: readonly Digits[]): Map<number, number> => {
  const counts = new Map<number, number>();
  for (const phone of people.phone)
    for (const token of new Set(digits.map((count) => tokens.ofDigits(digitsOf(phone, count)))))
      counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
};

/** The bits of information that a token has about a beginning of a surname, if the attacker knows all other tokens. */
const information = (of: Keys, tokens: Tokens, letters: number): number => {
  const parts = new Map<number, number>();
  for (const [key, text] of of.texts.entries())
    if (text.length === letters) {
      const token = tokens.ofKey[key] as number;
      parts.set(token, (parts.get(token) ?? 0) + (of.lastParts[key] as number));
    }
  return entropyOf(parts.values());
};

if (census !== undefined) {
  say('## The stand-in beside the census');
  say();
  table(
    ['', 'beginnings', 'entropy, bits', 'most frequent', 'total variation distance'],
    compare(countryOf(), country),
  );
}

say('## Information in a token');
say();
say(
  'Bits that a token has about the beginning of a surname, if the attacker learns what every token stands for.',
);
say();
table(
  ['bits', 'surname, 3 letters', 'surname, 5 letters'],
  BITS.map((bits) => {
    const tokens = tokensOf(keys, bits, SEED);
    return [bitsName(bits), information(keys, tokens, 3).toFixed(2), information(keys, tokens, 5).toFixed(2)];
  }),
);

const shares = keys.texts.map((_, key) => partOf(keys, key));
const shareOfThrees = shares.map((share, key) => (keys.texts[key]?.length === 3 ? share : 0));
const threesOf = (list: Int32Array): Int32Array => list.map((key, place) => (place % 2 === 0 ? key : -1));
/** The keys without those of 5 letters, for words with one token. */
const threes: Keys = { ...keys, first: threesOf(keys.first), last: threesOf(keys.last) };
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
const most = (letters: number): string => percent(Math.max(...beginningsOf(country.last, letters).values()));

say('## Baselines');
say();
say(
  `A guess that is always the most frequent beginning is right for ${most(3)} of the surnames with 3 letters, and for ${most(5)} with 5.`,
);
say();

for (const size of SIZES) {
  const people = populationOf(country, size, randomOf(SEED));
  const random = randomOf(SEED + 1);
  const kinds = Object.keys(SEARCHES) as SearchKind[];
  const searches = new Map(kinds.map((kind) => [kind, searchesOf(kind, country, people, SEARCHED, random)]));
  const children = childrenOf(keys, size);
  const smith = country.last.names.indexOf('smith');
  const known = Array.from({ length: KNOWN }, () => Math.floor(random() * size));
  const surnames = known
    .map((patient) => people.last[patient] as number)
    .filter((name) => (country.last.names[name]?.length ?? 0) >= 5)
    .slice(0, SEARCHED);
  const samePhones = equalPairs(people.phone.slice().sort());
  say(`## ${whole(size)} patients`);
  say();
  for (const { name, kinds: places, digits } of VARIANTS) {
    const isTwo = places.length === 2;
    const own = isTwo ? keys : threes;
    const costs: string[][] = [];
    const learned: string[][] = [];
    /** The figures under one key of the organization. */
    const measure = (tokens: Tokens) => {
      const index = indexOf(people, keys, tokens, places);
      const counts = countsOf(index);
      const postings = postingsOf(index);
      const phones = { counts: phoneCounts(people, tokens, digits), digits: digits.at(-1) ?? 6 };
      const cost = kinds.map((kind) => {
        const asked = searches.get(kind) ?? [];
        return costOf(asked, candidatesOf(kind, asked, people, own, tokens, postings, phones));
      });

      const expected = isTwo ? shares : shareOfThrees;
      const right = (values: ArrayLike<number>) =>
        rightGuesses(index, people, keys, tokenReader(index, keys, rankMatch(values, expected)));
      const chance = right(Float64Array.from(counts, () => random()));
      const ranks = right(counts);
      const profiles = isTwo
        ? rightGuesses(
            index,
            people,
            keys,
            pairReader(index, children, profileMatch(edgesOf(index, counts), children, counts, size, keys)),
          )
        : undefined;
      const codes = phoneCodes(people, tokens, digits);
      const ofSurname = (surname: number) => knownSurname(surname, people, keys, tokens, postings, index);
      const each = surnames.map(ofSurname);
      const { ofToken, ofPair } = keysOfKnown(known, people, keys, tokens);
      const read = isTwo
        ? pairReader(index, children, { ofToken: new Map(), ofPair })
        : (from: number, to: number) => ({
            fives: [],
            threes: [...index.tokens.subarray(from, to)].flatMap((token) => ofToken.get(token) ?? []),
          });
      const guessed = guessedSurnames(people, keys, isTwo ? 1 : 0, (patient) => {
        const found = read(index.starts[patient] as number, index.starts[patient + 1] as number);
        return isTwo ? found.fives : found.threes;
      });
      const tells = [
        chance.three,
        ranks.three,
        rightByRole(people, keys, tokens),
        ...(profiles === undefined ? [] : [ranks.five, profiles.three, profiles.five]),
        ...sharedWith(setCodes(index).sort(), [0, 5]),
        ...sharedWith(setCodes(index, codes).sort(), [0]),
        ofSurname(smith).three,
        mean(each.map(({ three }) => three)),
        ...(isTwo ? [mean(each.map(({ five }) => five))] : []),
        guessed.guessed,
        guessed.right,
        samePhones / equalPairs(codes.sort()),
      ];
      return { cost, tells };
    };
    for (const bits of BITS) {
      const measured = Array.from({ length: KEYS }, (_, number) =>
        measure(tokensOf(keys, bits, SEED + number)),
      );
      const cells = kinds.map((_, place) => {
        const of = (field: keyof Cost) => mean(measured.map(({ cost }) => cost[place]?.[field] ?? 0));
        const [wrong, perFound, large] = [of('wrong'), of('perFound'), of('large')];
        const many = large > 0 ? `; ${percent(large)}` : '';
        return `${whole(wrong)} (${perFound < 100 ? perFound.toFixed(1) : whole(perFound)}${many})`;
      });
      costs.push([bitsName(bits), ...cells]);
      const [one] = measured;
      const means = (one?.tells ?? []).map((_, place) =>
        mean(measured.map(({ tells }) => tells[place] ?? 0)),
      );
      learned.push([bitsName(bits), ...means.map(percent)]);
      console.error(`${size} patients, ${name}, ${bitsName(bits)}`);
    }
    say(`### ${name}`);
    say();
    table(['bits', ...kinds], costs);
    table(
      [
        'bits',
        '3 letters by chance',
        'by ranks',
        'by ranks, surnames alone',
        ...(isTwo ? ['5 letters by ranks', '3 letters by profiles', '5 letters by profiles'] : []),
        'names: unique',
        'shared with at most 5',
        'with telephone: unique',
        '`smi` is true',
        '3 letters are true',
        ...(isTwo ? ['5 letters are true'] : []),
        `${whole(KNOWN)} known: guessed`,
        'right',
        'same telephone is true',
      ],
      learned,
    );
  }
}

const remark = optionOf('--write');
if (remark !== undefined) {
  const file = join(import.meta.dirname, 'results.md');
  const former = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const meaning = former.indexOf('## What it means');
  const ending = former.indexOf('## Information in a token');
  writeFileSync(
    file,
    `# What searches by name and telephone number cost, and what their tokens tell

- Command: \`pnpm --filter @chairside/bench search-tokens\`
- Date: ${today()}
- Machine: ${machine()}, ${process.platform}; ${remark}
- Node ${process.versions.node}
- Seed ${SEED}, averages over ${KEYS} keys of an organization. A repetition computes the same figures on any machine.
${meaning < 0 ? '' : `\n${former.slice(meaning, ending)}`}
${lines.join('\n')}`,
  );
}
