import { expect, test } from 'vitest';
import {
  nameSearchProblem,
  nameWords,
  patientSearch,
  phoneNumbers,
  phoneSearchProblem,
  searchKeysOf,
} from './patient-search.ts';

/** The number of sets of a hundred people that are searched. `npm run check:release` sets a higher number. */
const SETS = Number(process.env.SEARCH_SETS ?? 3);

test.each([
  ['Müller', ['muller']],
  ['MÜLLER', ['muller']],
  ['Mu\u0308ller', ['muller']],
  ['Weiß WEISS weiẞ', ['weiss', 'weiss', 'weiss']],
  ["O'Brien O’Brien OʼBrien", ['obrien', 'obrien', 'obrien']],
  ['Anne-Marie von der Heide', ['anne', 'marie', 'von', 'der', 'heide']],
  ['Jean\u2011Luc', ['jean', 'luc']],
  ['Łukasz Ørsted Đorđe Æneas Œdipe Þór', ['lukasz', 'orsted', 'dorde', 'aneas', 'odipe', 'thor']],
  ['Bäcker Baecker Bæcker', ['backer', 'backer', 'backer']],
  ['Åse Aase Aaaase', ['ase', 'ase', 'ase']],
  ['Schröder Schrøder Schroeder Schrœder', ['schroder', 'schroder', 'schroder', 'schroder']],
  ['Müller Mueller mue', ['muller', 'muller', 'mu']],
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
  ['山田Taro 李2', ['山田', 'taro', '李', '2']],
  ['マイケル・ジャクソン', ['マイケル', 'シャクソン']],
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
  expect(different.slice(0, 5)).toEqual([]);
});

test('the digits of every numbering system of Intl are read', () => {
  const decimal = Intl.supportedValuesOf('numberingSystem').flatMap((system) => {
    const format = new Intl.NumberFormat(`en-u-nu-${system}`, { useGrouping: false });
    const digits = format.format(9_876_543_210);
    return /^\p{Nd}+$/u.test(digits) ? [digits] : [];
  });
  expect(decimal.length).toBeGreaterThan(50);
  for (const digits of decimal) expect(phoneNumbers(`+${digits}`)).toEqual(['9876543210']);
});

const findsName = (name: string, query: string) => patientSearch({ name: query })?.finds({ name });

test.each([
  ['王芳', ['王芳', '王 芳']],
  ['王 芳', ['王芳', '王', '芳', '王 芳']],
  ['山田 太郎', ['山田太郎', '山田', '太郎', '山田 太', '山 田太郎']],
  ['山田太郎', ['山田 太郎', '山田', '山 田']],
  ['김 민수', ['김민수', '민수', '민 수', '김']],
  ['Li Wu', ['li', 'WU', 'wu li', 'Li Wu']],
  ['Ng', ['ng', 'NG']],
  ['Vũ Đỗ An', ['Vũ Đỗ An', 'vu do an', 'an', 'do', 'vu']],
  ['Maeve O’Hara', ['O Hara', 'ohara', "o'hara", 'O-Hara', 'oha', 'ohara maeve']],
  ['Maeve O Hara', ['O’Hara', 'ohara', 'hara', 'o', 'maeve o']],
  ['Maeve OHara', ['O Hara', 'o ha']],
  ['Jan van der Berg', ['vanderberg', 'van der berg', 'van der', 'derberg', 'berg', 'der', 'Berg van-der']],
  ['Jan Vanderberg', ['van der Berg', 'van der']],
  ['Ann Mc Donald', ['mcdonald', 'McDon', 'mc d']],
  ['Ana De La Cruz', ['delacruz', 'de la cruz', 'la cruz', "de l'a", 'cruz']],
  ['Eva Müller', ['mueller', 'Muller', 'MÜLL', 'muelle']],
  ['Marc L’Aaron', ['laron', 'l aaron', 'LAAR']],
])('the patient %s is found by each of %j', (name, queries) => {
  expect(queries.filter((query) => !findsName(name, query))).toEqual([]);
});

test.each([
  ['王芳', ['王', '芳', '王方', '芳王']],
  ['山田太郎', ['太郎', '山田花']],
  ['Li Wu', ['l', 'w', 'liwu', 'lin', 'li wu li xu']],
  ['Nguyen', ['ng', 'n']],
  ['Maeve O’Hara', ['oh', 'ma', 'mo hara']],
  ['Jan van der Berg', ['va', 'be', 'vandenberg', 'erg']],
  ['Eva Müller', ['mue', 'mul eva x']],
])('the patient %s is not found by any of %j', (name, queries) => {
  expect(queries.filter((query) => findsName(name, query))).toEqual([]);
});

test('the keys of a patient are beginnings of forms and ends of numbers', () => {
  expect(
    searchKeysOf({ name: 'Li Ann Annabel van Lee 山田 太郎', phone: '+1 (202) 555-0100 x7, 044 123 45 67' }),
  ).toEqual({
    name: ['ann', 'lee', 'li', 'van', '太郎', '山田'],
    phone: ['550100', '234567'],
  });
  expect(searchKeysOf({ name: null, phone: '12345' })).toEqual({ name: [], phone: [] });
});

test('a search has keys like a patient, and finds by all words and by the number', () => {
  const search = patientSearch({ name: 'li SMITHS ann', phone: '0202 555-0100' });
  expect(search?.keys).toEqual({ name: ['li', 'smi', 'ann'], phone: ['550100'] });
  const phone = '+1 2025550100';
  expect(search?.finds({ name: 'Anna Li Smithson', phone })).toBe(true);
  expect(search?.finds({ name: 'Anna Lind Smithson', phone })).toBe(false);
  expect(search?.finds({ name: 'Anna Li Smithson', phone: '2025551100' })).toBe(false);
  expect(search?.finds({ name: 'Anna Li Smithson' })).toBe(false);
  expect(patientSearch({})).toBeUndefined();
});

test.each([
  ['020 7946 0018', ['02079460018']],
  ['+44 (0)20 7946 0018 ext. 12', ['4402079460018']],
  ['555-0100x12, 044-123 45 67', ['5550100', '0441234567']],
  ['tel:+12025550100;ext=4711', ['12025550100']],
  ['202 555 0100 extension 123456', ['2025550100']],
  ['202 555 0100, ext 123456', ['2025550100']],
  ['202 555 0100 #123456', ['2025550100']],
  ['#31#2025550100', ['312025550100']],
  ['Fax 2025550100', ['2025550100']],
  ['030/23125041', ['03023125041']],
  ['030 23125041 / 0171 1234567', ['03023125041', '01711234567']],
  ['030/23125041, 0171/1234567', ['03023125041', '01711234567']],
  ['2025550100;2025550101, 2025550102', ['2025550100', '2025550101', '2025550102']],
  ['12345', ['12345']],
  ['none', ['']],
])('the numbers in %s are %j', (phone, numbers) => {
  expect(phoneNumbers(phone)).toEqual(numbers);
});

test('numbers are equal if their last eight digits are, or all that the search has', () => {
  const finds = (phone: string, query: string) => patientSearch({ phone: query })?.finds({ phone });
  const london = [
    '020 7946 0018',
    '0044 20 7946 0018',
    '+44 (0)20 7946 0018',
    '+44 20 7946 0018',
    '٧٩٤٦٠٠١٨',
  ];
  for (const phone of london)
    for (const query of london) expect([phone, finds(phone, query)]).toEqual([phone, true]);
  expect(finds('020 7946 0018', '460018')).toBe(true);
  expect(finds('946 0018', '020 7946 0018')).toBe(false);
  expect(finds('020 7946 0018 ext 12', '020 7946 0018 ext 34')).toBe(true);
  expect(finds('030 23125041 / 0171 1234567', '23125041')).toBe(true);
  expect(finds('030 23125041 / 0171 1234567', '+49 171 1234567')).toBe(true);
  expect(finds('12345', '123456')).toBe(false);
});

test('what cannot be searched for has a problem', () => {
  expect(['li', '王', 'o’b', 'a b c d e f g h', 'o'.repeat(500)].map(nameSearchProblem)).toEqual(
    Array(5).fill(undefined),
  );
  for (const name of ['', '--', '´']) expect(nameSearchProblem(name)).toContain('must have a word');
  for (const name of ['a b c e f g h i j', 'q1 q2 q3 q4 q5 q6 q7 q8 q9'])
    expect(nameSearchProblem(name)).toBe('must have at most 8 different words');
  const words = Array.from({ length: 249 }, (_, index) =>
    String.fromCodePoint(0x430 + (index % 32), 0x3b1 + index),
  );
  expect(nameSearchProblem(words.join(' '))).toContain('at most 8');
  expect(nameSearchProblem('anna '.repeat(99))).toBeUndefined();

  expect(['123456', '12-34-56 x9', '١٢٣٤٥٦', '030/23125041'].map(phoneSearchProblem)).toEqual(
    Array(4).fill(undefined),
  );
  for (const phone of ['12345', 'abc', '12345 ext'])
    expect(phoneSearchProblem(phone)).toContain('at least 6 digits');
  expect(phoneSearchProblem('2025550100, 2025550101')).toContain('must be one telephone number');
  expect(() => patientSearch({ name: '--' })).toThrow('must have a word');
});

test.each([
  'ﷺ'.repeat(500),
  '⒪'.repeat(500),
  'o '.repeat(250),
  '王 '.repeat(250),
  'á'.repeat(500),
  'ᾂ '.repeat(250),
])('a long name is found by itself and has a limited number of keys', (name) => {
  expect(findsName(name, name)).toBe(true);
  const { name: keys } = searchKeysOf({ name });
  expect(keys.length).toBeLessThan(20);
  expect(keys.every((key) => [...key].length <= 3)).toBe(true);
});

/** Numbers that are the same in each run. */
const randomFrom = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};
type Random = ReturnType<typeof randomFrom>;
const pick = <T>(random: Random, list: readonly T[]): T => list[random(list.length)] as T;

const PARTICLES = 'o d l mc mac al el bin ibn de da di do du del la le van der den ter von zu'.split(' ');
const NAMES: readonly string[][] = [
  'Müller Mueller Muller Schröder Schroeder Größe Groesse Jürgen Ann Anna Annabel Åse Aase Æbelø Søren Soeren'.split(
    ' ',
  ),
  'Nguyễn Nguyen Lê Trần Phạm Vũ Đỗ An Ng Li Wu Ngan Doe Zuelke Maël'.split(' '),
  'Hara OHara Berg Vanderberg Donald McDonald Cruz Delacruz Angelo Aron Enna Estrange'.split(' '),
  'Алексей Алексеева Ёлкина Елкин Ян Ли Ольга Γιώργος Γιωργία Μαρία'.split(' '),
  '王 芳 王芳 李 小龍 山田 太郎 山田太郎 佐藤 さくら サクラ 김 민수 김민수 이'.split(' '),
  'محمد مُحَمَّد علي מרים מִרְיָם दि किरण किरन राम'.split(' '),
];
const isCjkText = (text: string): boolean => /^[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]/u.test(text);

/**
 * What a name is found by, computed in another way: letter by letter, with pairs of letters looked up, and with every span of
 * words that are written apart.
 */
const simpleWords = (name: string): string[] => {
  const plain = [...name.normalize('NFD')].filter(
    (letter) => !/[\u0300-\u036f\u0591-\u05c7\u064b-\u065f'’]/u.test(letter),
  );
  const table: Record<string, string> = { æ: 'ae', ø: 'oe', đ: 'd', ß: 'ss' };
  const text = plain
    .map((letter) => table[letter.toLowerCase()] ?? letter.toLowerCase())
    .join('')
    .normalize('NFC');
  let folded = '';
  for (const letter of text) {
    const last = folded.at(-1) ?? '';
    const isSecond = (letter === 'e' && 'aou'.includes(last)) || (letter === 'a' && last === 'a');
    if (last === '' || !isSecond) folded += letter;
  }
  // A space between letters of different kinds, because a word ends there.
  const spaced = [...folded.replace(/ς/gu, 'σ')].reduce(
    (before, letter) =>
      before + (isCjkText(before.at(-1) ?? letter) === isCjkText(letter) ? '' : ' ') + letter,
    '',
  );
  return spaced.split(/[ ,-]+/u).filter(Boolean);
};
const simpleRuns = (name: string): string[][] => {
  const runs: string[][] = [];
  for (const word of simpleWords(name)) {
    const run = runs.at(-1);
    const before = run?.at(-1);
    const goesOn =
      before !== undefined &&
      (isCjkText(before) ? isCjkText(word) : PARTICLES.includes(before) && !isCjkText(word));
    if (goesOn) run?.push(word);
    else runs.push([word]);
  }
  return runs;
};
const joined = (words: readonly string[]): string => simpleWords(words.join('')).join('');
const simpleFinds = (name: string, query: string): boolean => {
  const known = simpleRuns(name).flatMap((run) => run.flatMap((word, at) => [word, joined(run.slice(at))]));
  return simpleRuns(query)
    .map(joined)
    .every((word) => {
      const isShort = [...word].length < (isCjkText(word) ? 2 : 3);
      return known.some((form) => (isShort ? form === word : form.startsWith(word)));
    });
};

const randomName = (random: Random): string => {
  const names = pick(random, NAMES);
  const words = Array.from({ length: 1 + random(3) }, () =>
    random(3) === 0 ? pick(random, PARTICLES) : pick(random, names),
  );
  return words
    .map((word) => word + pick(random, [' ', ' ', '-', '’', ', ']))
    .join('')
    .replace(/[ ,’-]+$/u, '');
};
/** A part of a name, as another person may enter it. */
const randomQuery = (random: Random, name: string): string => {
  const words = name.split(' ');
  const some = words.slice(random(words.length));
  const text = random(3) === 0 ? some.reverse().join(' ') : some.join(' ');
  const cut = [...text].slice(0, random(2) === 0 ? undefined : 1 + random(5)).join('');
  return pick(random, [cut, cut.toUpperCase(), cut.toLowerCase(), cut.replace(/[ ’-]/gu, '')]);
};

test(`${SETS * 100} searches for names of several scripts find what a simple scan finds`, () => {
  const random = randomFrom(61);
  const different: object[] = [];
  let hits = 0;
  for (let set = 0; set < SETS; set++) {
    const names = Array.from({ length: 100 }, () => randomName(random));
    for (const name of names) {
      const query = randomQuery(random, name);
      if (nameSearchProblem(query) !== undefined) continue;
      const search = patientSearch({ name: query });
      for (const each of names) {
        const finds = simpleFinds(each, query);
        if (finds) hits += 1;
        if (search?.finds({ name: each }) !== finds) different.push({ name: each, query, finds });
      }
    }
  }
  expect(different.slice(0, 5)).toEqual([]);
  expect(hits).toBeGreaterThan(SETS * 100);
});

/** The prefix of a country, the digit before a number within it, and how it groups the digits. */
const COUNTRIES = [
  ...[
    ['44', '0', 2, 4, 4],
    ['49', '0', 3, 3, 5],
    ['33', '0', 1, 2, 2, 2, 2],
    ['41', '0', 2, 3, 2, 2],
    ['43', '0', 1, 3, 4],
  ],
  ...[
    ['1', '', 3, 3, 4],
    ['39', '', 2, 4, 4],
    ['34', '', 3, 3, 3],
    ['45', '', 2, 2, 2, 2],
    ['47', '', 3, 2, 3],
  ],
  ...[
    ['46', '0', 2, 3, 2, 2],
    ['48', '', 3, 3, 3],
    ['31', '0', 2, 3, 4],
    ['32', '0', 1, 3, 2, 2],
    ['351', '', 3, 3, 3],
  ],
  ...[
    ['353', '0', 1, 3, 4],
    ['420', '', 3, 3, 3],
    ['36', '06', 1, 3, 4],
    ['7', '8', 3, 3, 2, 2],
    ['90', '0', 3, 3, 2, 2],
  ],
  ...[
    ['30', '', 3, 3, 4],
    ['972', '0', 2, 3, 4],
    ['91', '0', 2, 4, 4],
    ['86', '0', 3, 4, 4],
    ['81', '0', 2, 4, 4],
  ],
  ...[
    ['82', '0', 2, 4, 4],
    ['84', '0', 3, 3, 3],
    ['61', '0', 1, 4, 4],
    ['55', '0', 2, 5, 4],
    ['52', '', 2, 4, 4],
  ],
] as [string, string, ...number[]][];
/** The ways to write a number of a country. */
const waysOf = (random: Random): string[] => {
  const [country, trunk, ...groups] = pick(random, COUNTRIES);
  // Few digits, so that some numbers have the same end.
  const parts = groups.map((length) => Array.from({ length }, () => random(2) + 1).join(''));
  const written = (sign: string) => parts.join(sign);
  const [area = '', ...rest] = parts;
  return [
    `${trunk}${written(' ')}`,
    `(${trunk}${area}) ${rest.join('-')}`,
    `${trunk}${area}/${rest.join('')}`,
    `+${country} ${written(' ')}`,
    `+${country} (${trunk})${written('.')}`,
    `00${country}${written('')}`,
    `tel:+${country}${written('-')}`,
  ];
};
const EXTENSIONS = ['', '', '', ' ext 12', ' x123', '#7', ';ext=4711', ', ext. 5'];
/** The numbers in a text, computed in another way: digit by digit. */
const simpleNumbers = (phone: string): string[] =>
  phone.split(' & ').map((number) => number.replace(/[,; ]*(?:ext|x|#).*/u, '').replace(/[^0-9]/gu, ''));

test(`${SETS * 100} searches for numbers as thirty countries write them find what a simple scan finds`, () => {
  const random = randomFrom(30);
  const different: object[] = [];
  let hits = 0;
  for (let set = 0; set < SETS; set++) {
    const people = Array.from({ length: 100 }, () =>
      Array.from({ length: 1 + random(2) }, () => waysOf(random)),
    );
    const stored = people.map((numbers) =>
      numbers.map((ways) => pick(random, ways) + pick(random, EXTENSIONS)).join(' & '),
    );
    for (const [number = []] of people) {
      const query = pick(random, number) + pick(random, EXTENSIONS);
      const [asked = ''] = simpleNumbers(query);
      const search = patientSearch({ phone: query });
      for (const each of stored) {
        const finds = simpleNumbers(each).some((known) => known.endsWith(asked.slice(-8)));
        if (finds) hits += 1;
        // A slash in one of the numbers is no separator.
        const phone = each.replaceAll(
          ' & ',
          pick(random, each.includes('/') ? [', ', '; ', ','] : [' / ', '/', ', ']),
        );
        if (search?.finds({ phone }) !== finds) different.push({ phone, query, finds });
      }
    }
  }
  expect(different.slice(0, 5)).toEqual([]);
  expect(hits).toBeGreaterThan(SETS * 100);
});
