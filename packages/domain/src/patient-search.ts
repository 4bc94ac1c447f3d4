/*
 * How patients are compared with a search by name or telephone number. A name becomes words, and the words become the forms by
 * which the patient is found. A word of a search finds the forms that begin with it. Everything here must return the same in a
 * later version, because the tokens of patients are stored (packages/mongodb/src/records/search-tokens.ts).
 */

/** A word of a search with fewer letters finds only the same complete word. */
const MIN_LETTERS = 3;
/** The same for words of Chinese, Japanese and Korean characters. */
const MIN_CJK_LETTERS = 2;
/** The most different words of a search by name. */
export const MAX_SEARCH_WORDS = 8;
/** The fewest digits of a telephone number that is searched for. */
export const MIN_PHONE_DIGITS = 6;
/** How many last digits of two telephone numbers are compared. The digits before them are written in many ways. */
const COMPARED_DIGITS = 8;
/**
 * The most UTF-16 code units of a decomposed name. A name of 500 that consists of letters and accents stays complete, because
 * a letter has at most four. U+FDFA alone has 18.
 */
const MAX_DECOMPOSED = 2000;
/** Words are compared by this many UTF-16 code units, so that joined words cannot take much memory. */
const MAX_WORD = 100;

/** Apostrophes and signs like them, the Arabic tatweel, and characters that are not shown. */
const IGNORED = /['`´‘’‛ʹʻʼʽʾʿˈ′＇՚׳Ꞌꞌ\u0640\p{Cf}]/gu;
/** Accents, and the vowel signs that Hebrew and Arabic may leave out. The vowels of other scripts stay. */
const ACCENTS = /(?=\p{M})[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}]/gu;
/**
 * Letters that Unicode does not take apart. A library's table is not used, because another table in a later version would no
 * longer find what is stored.
 */
const LETTERS: Readonly<Record<string, string>> = {
  æ: 'a',
  ð: 'd',
  ø: 'o',
  þ: 'th',
  đ: 'd',
  ħ: 'h',
  ł: 'l',
  ŋ: 'n',
  œ: 'o',
  ŧ: 't',
  ς: 'σ',
};
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'gu');
/** `ä`, `ö`, `ü` and `å` without accents, and the ways to write them with two letters. */
const TWO_LETTERS = /(a)[ae]+|([ou])e+/gu;
/** These scripts are written without a space between words, so a word also ends where they begin or end. */
const CJK = '[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}]';
const IN_WORDS = '[\\p{L}\\p{N}\\p{M}]';
const WORD = new RegExp(`[${IN_WORDS}&&${CJK}]+|[${IN_WORDS}--${CJK}]+`, 'gv');
const IS_CJK = new RegExp(`^${CJK}`, 'v');
/** Words that are written apart from the next word of a name, with an apostrophe or a hyphen, or together with it. */
const PARTICLES = new Set(
  'o d l mc mac al el bin ibn de da di do du del la le van der den ter von zu'.split(' '),
);

/** Ignores case. Upper case takes `ß` to `SS`. Before it, lower case takes `ẞ` to `ß`. JavaScript has no case folding. */
const foldCase = (text: string): string => text.toLowerCase().toUpperCase().toLowerCase();

const foldTwoLetters = (text: string): string => text.replace(TWO_LETTERS, '$1$2');

const unique = (texts: Iterable<string>): string[] => [...new Set(texts)];

/**
 * The words of a name in the form in which names are compared: without case, accents and apostrophes, with `ss` for `ß`, `a`
 * for `ä`, `ae`, `æ`, `å` and `aa`, and the like. A hyphen ends a word. Unicode keeps the normalization and the case of
 * assigned characters stable, so another version of it returns the same words.
 */
export const nameWords = (name: string): string[] => {
  const decomposed = foldCase(name.replace(IGNORED, '')).normalize('NFKD').slice(0, MAX_DECOMPOSED);
  // The case is folded once more, because `℡` becomes `TEL`.
  const letters = foldCase(decomposed.replace(IGNORED, '').replace(ACCENTS, '')).replace(
    LETTER,
    (letter) => LETTERS[letter] ?? letter,
  );
  // A syllable of Hangul counts as one letter again.
  return foldTwoLetters(letters).normalize('NFC').match(WORD) ?? [];
};

const isCjk = (word: string): boolean => IS_CJK.test(word);

/** Whether a word is joined with the word after it: particles are, and words of Chinese, Japanese and Korean characters. */
const isJoined = (word: string, next: string): boolean =>
  isCjk(word) ? isCjk(next) : PARTICLES.has(word) && !isCjk(next);

/** For each word, the word and what it is joined with: `van der Berg` becomes `vanderberg`, `derberg` and `berg`. */
const joinedWords = (words: readonly string[]): string[] => {
  const joined: string[] = [];
  for (let at = words.length - 1; at >= 0; at--) {
    const word = words[at] as string;
    const isLast = at === words.length - 1 || !isJoined(word, words[at + 1] as string);
    joined[at] = isLast ? word : foldTwoLetters(word + joined[at + 1]).slice(0, MAX_WORD);
  }
  return joined;
};

/** What the patient with this name is found by, in the order of UTF-16: every word, and what it is joined with. */
const formsOf = (name: string): string[] => {
  const words = nameWords(name);
  return unique([...words, ...joinedWords(words)].map((form) => form.slice(0, MAX_WORD))).sort();
};

/** The different words of a search. Words that are joined are one. */
const searchWords = (name: string): string[] => {
  const words = nameWords(name);
  const isFirst = (at: number): boolean =>
    at === 0 || !isJoined(words[at - 1] as string, words[at] as string);
  return unique(
    joinedWords(words)
      .filter((_word, at) => isFirst(at))
      .map((word) => word.slice(0, MAX_WORD)),
  );
};

const minLetters = (word: string): number => (isCjk(word) ? MIN_CJK_LETTERS : MIN_LETTERS);

/** The beginning of a word, which a search for it and the patients that it finds have in common. */
const beginningOf = (word: string): string => [...word].slice(0, minLetters(word)).join('');

/** Whether a word finds only the same complete word, because it is short. */
const isWhole = (word: string): boolean => [...word].length < minLetters(word);

/** Whether a word of a search finds one of these forms, which are in the order of UTF-16. */
const findsForm = (word: string, forms: readonly string[]): boolean => {
  let [from, to] = [0, forms.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((forms[middle] as string) < word) from = middle + 1;
    else to = middle;
  }
  // The forms that begin with the word follow each other, and the word itself is the first of them.
  const first = forms[from];
  return first !== undefined && (isWhole(word) ? first === word : first.startsWith(word));
};

/** The value of a decimal digit of any script. Unicode encodes the ten digits of a script one after the other. */
const digitOf = (digit: string): string => {
  let value = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint((digit.codePointAt(0) ?? 0) - value - 1))) value++;
  return String(value % 10);
};

/** What separates telephone numbers, except before an extension. A slash may be in a number: `030/23125041, 0171/1234567`. */
const SEPARATORS = [';', ',', '/'].map((sign) => new RegExp(`${sign}(?!\\s*(?:ext|x|#))`, 'iu'));
/** A number of six digits or more, and its extension. */
const WITH_EXTENSION = /^((?:\D*\d){6}.*?)(?<!\p{L})(?:ext|x|#).*$/isu;

const digitsOf = (text: string): string => text.replace(WITH_EXTENSION, '$1').replace(/\D/gu, '');

const hasDigits = (number: string): boolean => number.length >= MIN_PHONE_DIGITS;

/** The numbers in a text whose digits are in ASCII. */
const numbersIn = (text: string, [separator, ...others] = SEPARATORS): string[] => {
  if (separator === undefined) return [digitsOf(text)];
  const parts = text.split(separator);
  const isSeparated = parts.every((part) => hasDigits(digitsOf(part)));
  return (isSeparated ? parts : [text]).flatMap((part) => numbersIn(part, others));
};

/**
 * The telephone numbers in a text, as digits in ASCII and without extensions. Semicolons separate numbers if each part has six
 * digits; if one has fewer, they separate nothing. The same applies to commas, and then to slashes.
 */
export const phoneNumbers = (phone: string): string[] =>
  numbersIn(phone.normalize('NFKD').replace(/(?![0-9])\p{Nd}/gu, digitOf));

/**
 * What a patient can be found by: the beginnings of its forms, and the ends of its numbers. A search has the same, and every
 * patient that it finds has all of its texts.
 */
export type SearchKeys = { name: readonly string[]; phone: readonly string[] };

type Searched = { name?: string | null | undefined; phone?: string | null | undefined };

const keysOf = (words: readonly string[], numbers: readonly string[]): SearchKeys => ({
  name: unique(words.map(beginningOf)),
  phone: unique(numbers.filter(hasDigits).map((number) => number.slice(-MIN_PHONE_DIGITS))),
});

/** The search keys of a patient. */
export const searchKeysOf = ({ name, phone }: Searched): SearchKeys =>
  keysOf(formsOf(name ?? ''), phoneNumbers(phone ?? ''));

/** What is wrong with a name that cannot be searched for; undefined if it can. */
export const nameSearchProblem = (name: string): string | undefined => {
  const { length } = searchWords(name);
  if (length === 0) return 'must have a word, which is at least one letter or digit';
  return length > MAX_SEARCH_WORDS ? `must have at most ${MAX_SEARCH_WORDS} different words` : undefined;
};

/** What is wrong with a telephone number that cannot be searched for; undefined if it can. */
export const phoneSearchProblem = (phone: string): string | undefined => {
  const numbers = phoneNumbers(phone);
  if (numbers.length > 1) return 'must be one telephone number: search for each number by itself';
  return numbers.every(hasDigits)
    ? undefined
    : `must have at least ${MIN_PHONE_DIGITS} digits, without the extension`;
};

/** A search for patients by name, by telephone number, or by both. */
export type PatientSearch = {
  keys: SearchKeys;
  /** Whether this patient is found. */
  finds(patient: Searched): boolean;
};

/**
 * A search for the patients whose name has, for each word of `name`, a word that begins with it, and who have the telephone
 * number `phone`. A short word finds only the same complete word. Undefined if neither is given.
 *
 * @throws {RangeError} if `nameSearchProblem` or `phoneSearchProblem` has found a problem
 */
export const patientSearch = ({ name, phone }: Searched): PatientSearch | undefined => {
  if (name == null && phone == null) return undefined;
  const problem =
    (name == null ? undefined : nameSearchProblem(name)) ??
    (phone == null ? undefined : phoneSearchProblem(phone));
  if (problem !== undefined) throw new RangeError(`A search ${problem}.`);
  const words = searchWords(name ?? '');
  const numbers = phone == null ? [] : phoneNumbers(phone);
  const ends = numbers.map((number) => number.slice(-COMPARED_DIGITS));
  return {
    keys: keysOf(words, numbers),
    finds(patient) {
      if (ends.length > 0) {
        const known = phoneNumbers(patient.phone ?? '');
        if (!ends.every((end) => known.some((number) => number.endsWith(end)))) return false;
      }
      if (words.length === 0) return true;
      const forms = formsOf(patient.name ?? '');
      return words.every((word) => findsForm(word, forms));
    },
  };
};
