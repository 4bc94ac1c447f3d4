// What an attacker learns who has the index and knows some patients, with their documents.
import { pairOf, surnameAmong } from './attack.ts';
import { type Digits, digitsOf, type Postings } from './cost.ts';
import { type Index, type Keys, PER_WORD, type Population, type Tokens } from './population.ts';

const SHIFT = 2 ** 21;

/** Whether a word of the patient's name begins with the key. */
const hasKey = (people: Population, keys: Keys, patient: number, place: number, key: number): boolean =>
  keys.first[(people.first[patient] as number) * PER_WORD + place] === key ||
  keys.last[(people.last[patient] as number) * PER_WORD + place] === key;

/**
 * The part of those with the tokens of a known surname who have this beginning: of the patients with the token of its 3 letters,
 * and of those who have the token of its 5 letters, too.
 */
export const knownSurname = (
  surname: number,
  people: Population,
  keys: Keys,
  tokens: Tokens,
  { starts, patients }: Postings,
  index: Index,
): { three: number; five: number } => {
  const [three, five] = [
    keys.last[surname * PER_WORD] as number,
    keys.last[surname * PER_WORD + 1] as number,
  ];
  const [token, other] = [tokens.ofKey[three] as number, tokens.ofKey[five] as number];
  let [all, right, both, bothRight] = [0, 0, 0, 0];
  for (let at = starts[token] as number; at < (starts[token + 1] as number); at++) {
    const patient = patients[at] as number;
    all++;
    if (hasKey(people, keys, patient, 0, three)) right++;
    const own = index.tokens.subarray(index.starts[patient], index.starts[patient + 1]);
    if (!own.includes(other)) continue;
    both++;
    if (hasKey(people, keys, patient, 1, five)) bothRight++;
  }
  return { three: right / Math.max(all, 1), five: bothRight / Math.max(both, 1) };
};

/** The keys of the tokens of known patients: of 3 letters for a token, and of 5 letters for a pair of tokens. */
export const keysOfKnown = (
  known: readonly number[],
  people: Population,
  keys: Keys,
  tokens: Tokens,
): { ofToken: Map<number, number>; ofPair: Map<number, number> } => {
  const [ofToken, ofPair] = [new Map<number, number>(), new Map<number, number>()];
  for (const patient of known)
    for (const [list, names] of [
      [keys.first, people.first],
      [keys.last, people.last],
    ] as const) {
      const place = (names[patient] as number) * PER_WORD;
      const [three, five] = [list[place] as number, list[place + 1] as number];
      if (three >= 0) ofToken.set(tokens.ofKey[three] as number, three);
      if (five >= 0) ofPair.set(pairOf(tokens.ofKey[three] as number, tokens.ofKey[five] as number), five);
    }
  return { ofToken, ofPair };
};

/** The part of the patients for whom a beginning of the surname is guessed, and the part of these guesses that is right. */
export const guessedSurnames = (
  people: Population,
  keys: Keys,
  place: 0 | 1,
  read: (patient: number) => readonly number[],
): { guessed: number; right: number } => {
  let [guessed, right] = [0, 0];
  for (let patient = 0; patient < people.size; patient++) {
    const guess = surnameAmong(read(patient), keys);
    // A word that is more often a first name is no guess of the surname.
    if (guess < 0 || (keys.lastParts[guess] as number) < (keys.firstParts[guess] as number)) continue;
    guessed++;
    if (guess === keys.last[(people.last[patient] as number) * PER_WORD + place]) right++;
  }
  return { guessed: guessed / people.size, right: right / Math.max(guessed, 1) };
};

/** The tokens of each telephone number, as one number. */
export const phoneCodes = (people: Population, tokens: Tokens, digits: readonly Digits[]): Float64Array =>
  people.phone.map((phone) => {
    const [one, other] = digits.map((count) => tokens.ofDigits(digitsOf(phone, count))) as [number, number?];
    // The whole hash of 8 digits already tells all numbers apart.
    return other === undefined ? one : other >= 1e9 ? other : pairOf(one, other);
  });

/** The tokens of each name, and those of the telephone number, as one number for each patient. */
export const setCodes = (index: Index, phones?: Float64Array): Float64Array =>
  Float64Array.from({ length: index.size }, (_, patient) => {
    let [one, other] = [0x811c9dc5, 0x1000193];
    const add = (value: number) => {
      one = Math.imul(one ^ value, 0x01000193);
      one ^= one >>> 15;
      other = Math.imul(other + value, 0x85ebca6b) ^ (other >>> 13);
    };
    for (let at = index.starts[patient] as number; at < (index.starts[patient + 1] as number); at++)
      add((index.tokens[at] as number) + 1);
    const phone = phones?.[patient];
    if (phone !== undefined) {
      add(phone % 2 ** 31);
      add(Math.floor(phone / 2 ** 31) + 7);
    }
    return (one >>> 0) * SHIFT + ((other >>> 0) >>> 11);
  });
