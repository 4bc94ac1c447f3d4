/** The fewest letters of a word that a search by name begins with. */
export const MIN_NAME_LETTERS = 3;
/** The fewest digits of a search by telephone number. */
export const MIN_PHONE_DIGITS = 6;

/** How many first letters of a word, and how many last digits of a number, patients are found by. */
const LENGTHS = {
  short: { name: MIN_NAME_LETTERS, phone: MIN_PHONE_DIGITS },
  long: { name: 5, phone: 8 },
} as const;

/** Apostrophes and signs like them, the Arabic tatweel, and characters that are not shown. */
const IGNORED = /['`´‘’‛ʹʻʼʽʾʿˈ′＇՚׳Ꞌꞌ\u0640\p{Cf}]/gu;
/** Accents, and the vowel signs that Hebrew and Arabic may leave out. The vowels of other scripts stay. */
const ACCENTS = /(?=\p{M})[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}]/gu;
/**
 * Letters that Unicode does not take apart. A library's table is not used, because another table in a later version would no
 * longer find what is stored.
 */
const LETTERS: Readonly<Record<string, string>> = {
  æ: 'ae',
  ð: 'd',
  ø: 'o',
  þ: 'th',
  đ: 'd',
  ħ: 'h',
  ł: 'l',
  ŋ: 'n',
  œ: 'oe',
  ŧ: 't',
  ς: 'σ',
};
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'gu');
const NOT_IN_WORDS = /[^\p{L}\p{N}\p{M}]+/u;

/** Ignores case. Upper case takes `ß` to `SS`. Before it, lower case takes `ẞ` to `ß`. JavaScript has no case folding. */
const foldCase = (text: string): string => text.toLowerCase().toUpperCase().toLowerCase();

/**
 * The words of a name in the form in which names are compared: without case, accents and apostrophes, with `ss` for `ß` and the
 * like. A hyphen ends a word. Unicode keeps the normalization and the case of assigned characters stable, so another version
 * of it returns the same words.
 */
export const nameWords = (name: string): string[] =>
  // The case is folded once more, because `℡` becomes `TEL`.
  foldCase(foldCase(name.replace(IGNORED, '')).normalize('NFKD').replace(IGNORED, '').replace(ACCENTS, ''))
    .replace(LETTER, (letter) => LETTERS[letter] ?? letter)
    // A syllable of Hangul counts as one letter again.
    .normalize('NFC')
    .split(NOT_IN_WORDS)
    .filter((word) => word !== '');

/** The value of a decimal digit of any script. Unicode encodes the ten digits of a script one after the other. */
const digitOf = (digit: string): string => {
  let value = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint((digit.codePointAt(0) ?? 0) - value - 1))) value++;
  return String(value % 10);
};

/** The digits of a telephone number, in ASCII. */
export const phoneDigits = (phone: string): string =>
  phone
    .normalize('NFKD')
    .replace(/[^\p{Nd}]+/gu, '')
    .replace(/[^0-9]/gu, digitOf);

/** Beginnings of words of a name, and the end of a telephone number. */
export type SearchTexts = { name: readonly string[]; phone: readonly string[] };
/**
 * What a patient can be found by. A search has the same: every patient that it finds has all of its short texts, and all of
 * its long ones.
 */
export type SearchKeys = Readonly<Record<keyof typeof LENGTHS, SearchTexts>>;

type Searched = { name?: string | null | undefined; phone?: string | null | undefined };

/** The search keys of a patient, or of a search. */
export const searchKeysOf = ({ name, phone }: Searched): SearchKeys => {
  const words = nameWords(name ?? '').map((word) => [...word]);
  const digits = phoneDigits(phone ?? '');
  const textsOf = (length: { name: number; phone: number }): SearchTexts => ({
    name: [
      ...new Set(
        words
          .filter((letters) => letters.length >= length.name)
          .map((letters) => letters.slice(0, length.name).join('')),
      ),
    ],
    phone: digits.length >= length.phone ? [digits.slice(-length.phone)] : [],
  });
  return { short: textsOf(LENGTHS.short), long: textsOf(LENGTHS.long) };
};

/** A search for patients by name, by telephone number, or by both. */
export type PatientSearch = {
  keys: SearchKeys;
  /** Whether this patient is found. */
  finds(patient: Searched): boolean;
};

/** Whether a name can be searched for: it has a word with enough letters. */
export const isSearchableName = (name: string): boolean => searchKeysOf({ name }).short.name.length > 0;

/** Whether a telephone number can be searched for: it has enough digits. */
export const isSearchablePhone = (phone: string): boolean => searchKeysOf({ phone }).short.phone.length > 0;

/**
 * A search for the patients whose name has, for each word of `name`, a word that begins with it, and whose telephone number
 * ends with the digits of `phone`. Undefined if neither is given.
 */
export const patientSearch = ({ name, phone }: Searched): PatientSearch | undefined => {
  if (name == null && phone == null) return undefined;
  const words = nameWords(name ?? '');
  const digits = phoneDigits(phone ?? '');
  return {
    keys: searchKeysOf({ name, phone }),
    finds(patient) {
      if (phone != null && !phoneDigits(patient.phone ?? '').endsWith(digits)) return false;
      if (words.length === 0) return true;
      const known = nameWords(patient.name ?? '');
      return words.every((word) => known.some((each) => each.startsWith(word)));
    },
  };
};
