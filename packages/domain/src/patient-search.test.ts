import { expect, test } from 'vitest';
import {
  isSearchableName,
  isSearchablePhone,
  nameWords,
  patientSearch,
  phoneDigits,
  searchKeysOf,
} from './patient-search.ts';

test.each([
  ['Müller', ['muller']],
  ['MÜLLER', ['muller']],
  ['Mu\u0308ller', ['muller']],
  ['Weiß WEISS weiẞ', ['weiss', 'weiss', 'weiss']],
  ["O'Brien O’Brien OʼBrien", ['obrien', 'obrien', 'obrien']],
  ['Anne-Marie von der Heide', ['anne', 'marie', 'von', 'der', 'heide']],
  ['Jean\u2011Luc', ['jean', 'luc']],
  ['Łukasz Ørsted Đorđe Æneas Œdipe Þór', ['lukasz', 'orsted', 'dorde', 'aeneas', 'oedipe', 'thor']],
  ['IŞIK ışık İpek', ['isik', 'isik', 'ipek']],
  ['Nguyễn Thị', ['nguyen', 'thi']],
  ['ΟΔΥΣΣΕΑΣ Οδυσσέας', ['οδυσσεασ', 'οδυσσεασ']],
  ['Алёна', ['алена']],
  ['김민수', ['김민수']],
  ['がぎ', ['かき']],
  ['ｶﾞ Ｊｏｈｎ', ['カ', 'john']],
  ['מִרְיָם', ['מרים']],
  ['مُحَمَّد محمـد', ['محمد', 'محمد']],
  ['किरण', ['किरण']],
  ['So\u00adphie \u200fSara', ['sophie', 'sara']],
  ['Dr. J. Smith, jr. (2nd)', ['dr', 'j', 'smith', 'jr', '2nd']],
  ['', []],
  [' -- ', []],
])('the words of %o are %o', (name, words) => {
  expect(nameWords(name)).toEqual(words);
});

const CHARACTERS = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((character) => /[\p{L}\p{M}\p{N}\p{S}\p{P}]/u.test(character));
const codeOf = (character: string) => character.codePointAt(0)?.toString(16);

test('a normalized name is normalized no further, for each character of Unicode', () => {
  const changed = CHARACTERS.filter((character) => {
    const once = nameWords(`ab${character}cd`).join(' ');
    return nameWords(once).join(' ') !== once;
  }).map(codeOf);
  expect(changed).toEqual([]);
});

test('upper and lower case of each letter are the same word', () => {
  const different = CHARACTERS.filter((letter) => {
    const [word, ...cases] = [letter, letter.toUpperCase(), letter.toLowerCase()].map((each) =>
      nameWords(each).join(' '),
    );
    return cases.some((each) => each !== word);
  }).map(codeOf);
  expect(different).toEqual([]);
});

test('the digits of every numbering system of Intl are read', () => {
  const decimal = Intl.supportedValuesOf('numberingSystem').flatMap((system) => {
    const format = new Intl.NumberFormat(`en-u-nu-${system}`, { useGrouping: false });
    const digits = format.format(9_876_543_210);
    return /^\p{Nd}+$/u.test(digits) ? [digits] : [];
  });
  expect(decimal.length).toBeGreaterThan(50);
  for (const digits of decimal) expect(phoneDigits(`+${digits}`)).toBe('9876543210');
});

test('the keys of a patient are beginnings of words and ends of the number', () => {
  expect(searchKeysOf({ name: 'Li Ann Ann Annabel-Lee', phone: '+1 (202) 555-0100' })).toEqual({
    short: { name: ['ann', 'lee'], phone: ['550100'] },
    long: { name: ['annab'], phone: ['25550100'] },
  });
  const none = { name: [], phone: [] };
  expect(searchKeysOf({ name: null, phone: '12345' })).toEqual({ short: none, long: none });
});

test('a search has keys like a patient, and finds by all words and all digits', () => {
  const search = patientSearch({ name: 'li SMITHS ann', phone: '555-0100' });
  expect(search?.keys).toEqual({
    short: { name: ['smi', 'ann'], phone: ['550100'] },
    long: { name: ['smith'], phone: [] },
  });
  const phone = '2025550100';
  expect(search?.finds({ name: 'Anna Lind Smithson', phone })).toBe(true);
  expect(search?.finds({ name: 'Anna Smithson', phone })).toBe(false);
  expect(search?.finds({ name: 'Anna Lind Smithson', phone: '2025551100' })).toBe(false);
  expect(search?.finds({ name: 'Anna Lind Smithson' })).toBe(false);
  expect(patientSearch({})).toBeUndefined();
});

test('a search needs a word of three letters, or six digits', () => {
  expect(['li', 'o’b', '王芳', '--', ''].filter(isSearchableName)).toEqual([]);
  expect(['lia', 'li von', '김민수', 'Ørs'].filter(isSearchableName)).toHaveLength(4);
  expect(['12345', 'abc', '١٢٣٤٥'].filter(isSearchablePhone)).toEqual([]);
  expect(['12-34-56', '١٢٣٤٥٦'].filter(isSearchablePhone)).toHaveLength(2);
});
