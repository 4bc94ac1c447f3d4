import { nameSearchProblem, type Patient, phoneSearchProblem } from '@chairside/domain';
import type { randomFrom } from './interleavings.ts';

/** A random whole number from 0 to below this one. */
type Random = ReturnType<typeof randomFrom>;
const pick = <T>(random: Random, list: readonly T[]): T => list[random(list.length)] as T;
const upTo = (random: Random, most: number): number => random(most + 1);
const inPercent = (random: Random, percent: number): boolean => random(100) < percent;
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

/** Few letters of each script, so that many words begin alike. */
const SCRIPTS = [
  'aábcé',
  'AÄoöß',
  'nñøœł',
  'ΑαάΣσς',
  'Ёеёий',
  'אבּגשׁ',
  'اأبةمـ',
  'किरणी',
  '王李张小',
  '김민수서',
  'かがきﾞｶ',
  'İıIi',
].map((letters) => [...letters]);
const BETWEEN = [' ', ' ', ' ', '-', '\u2011', "'", '’', ', ', '. ', '  '];
const PARTICLES = ['van', 'der', 'o', "d'", 'Mc', 'de'];
const DIGITS = ['0', '1', '2'];
const IN_NUMBERS = ['', '', ' ', '-', '/', '(', ')', ',', ' x'];

const randomWord = (random: Random): string => {
  if (inPercent(random, 10)) return pick(random, PARTICLES);
  const letters = pick(random, SCRIPTS);
  return times(1 + upTo(random, 6), () => pick(random, letters)).join('');
};
const randomName = (random: Random): string =>
  times(1 + upTo(random, 3), () => randomWord(random) + pick(random, BETWEEN)).join('');
const randomNumber = (random: Random): string =>
  times(4 + upTo(random, 8), () => pick(random, DIGITS) + pick(random, IN_NUMBERS)).join('');

/** Patients with random names and telephone numbers, some without. */
export const randomPatients = (random: Random, count: number, make: () => Patient): Patient[] =>
  times(count, () => ({
    ...make(),
    ...(inPercent(random, 95) && { name: randomName(random) }),
    ...(inPercent(random, 80) && { phone: randomNumber(random) }),
  }));

const isValid = ({ name, phone }: { name?: string; phone?: string }): boolean =>
  (name !== undefined || phone !== undefined) &&
  (name === undefined || nameSearchProblem(name) === undefined) &&
  (phone === undefined || phoneSearchProblem(phone) === undefined);

/** A search that is valid: about half of them are made from a patient. */
export const randomQuery = (
  random: Random,
  patients: readonly Patient[],
): { name?: string; phone?: string } => {
  for (;;) {
    const { name = '', phone = '' } = pick(random, patients);
    const isKnown = inPercent(random, 60);
    const words = name.split(/[\s,.-]+/).filter((word) => word !== '');
    const beginnings = times(1 + upTo(random, 1), () => pick(random, words) ?? '').map((word) =>
      [...word].slice(0, 1 + upTo(random, 6)).join(''),
    );
    const query = {
      ...(inPercent(random, 80) && {
        name: isKnown ? pick(random, [beginnings.join(' '), name.toUpperCase()]) : randomName(random),
      }),
      ...(inPercent(random, 40) && { phone: isKnown ? phone.slice(-9) : randomNumber(random) }),
    };
    if (isValid(query)) return query;
  }
};
