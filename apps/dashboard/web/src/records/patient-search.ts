import { isAnyId } from '../components/lists/id.ts';

/** The name of the field for patients, which takes a search over. */
export const PATIENT_FIELD = 'Name, phone, e-mail or id';

/** A search for patients. The text enters no address, no history and no storage of the browser. */
export type PatientSearch = { by: 'name' | 'phone' | 'email'; text: string };

/** What a person has entered: a search, something in the form of an id, or too little for a search. */
export type Entered = PatientSearch | { by: 'id'; text: string } | { by: 'nothing'; hint: string };

/** The fewest letters of a word that finds words that begin with it; of Chinese, Japanese and Korean characters. */
const MIN_LETTERS = 3;
const MIN_CJK_LETTERS = 2;
/** The fewest digits of a telephone number that the api searches for. */
const MIN_DIGITS = 6;
/** The most digits of a telephone number, with its extension. The ids of the service are longer. */
const MAX_DIGITS = 24;

/** The hints for a text that is too short to search for. */
const NAME_HINT = 'Enter at least one letter of the first or the last name.';
export const PHONE_HINT = 'Enter at least the last six digits of the phone number.';
/** Why a short text finds little. */
export const SHORT_HINT =
  'A word with one or two letters finds only the same complete word. Enter three letters to find longer words.';

/** Apostrophes, which the api ignores. */
const IGNORED = /['`´‘’ʹʻʼʽ′]/gu;
const NOT_IN_WORDS = /[^\p{L}\p{N}\p{M}]+/u;
const CJK = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]/u;
/** Letters that the api counts as one: `ae`, `oe`, `ue` and `aa`. */
const TWO_LETTERS = /(a)[ae]+|([ou])e+/giu;

const wordsOf = (text: string): string[] =>
  text
    .normalize('NFC')
    .replace(IGNORED, '')
    .split(NOT_IN_WORDS)
    .filter((word) => word !== '');

/** Whether a word of this search finds only the same complete word, because it is short. */
export const hasShortWord = (entered: Entered): boolean =>
  entered.by === 'name' &&
  wordsOf(entered.text.replace(TWO_LETTERS, '$1$2')).some(
    (word) => [...word].length < (CJK.test(word) ? MIN_CJK_LETTERS : MIN_LETTERS),
  );

/**
 * Recognizes what a person has entered: a text with @ is an e-mail address, one with up to 24 digits and without letters
 * is a telephone number, one in the form of an id is an id, and any other text is a name. If there is too little to search
 * for, the hint says what to enter.
 */
export const recognize = (entered: string): Entered => {
  const text = entered.trim();
  if (text.includes('@')) return { by: 'email', text };
  const digits = text.match(/\p{Nd}/gu)?.length ?? 0;
  if (digits > 0 && digits <= MAX_DIGITS && !/\p{L}/u.test(text)) {
    if (digits >= MIN_DIGITS) return { by: 'phone', text };
    return /^\d+$/.test(text) ? { by: 'id', text } : { by: 'nothing', hint: PHONE_HINT };
  }
  if (isAnyId(text)) return { by: 'id', text };
  return wordsOf(text).length > 0 ? { by: 'name', text } : { by: 'nothing', hint: NAME_HINT };
};
