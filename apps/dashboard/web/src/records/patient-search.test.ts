import { expect, test } from 'vitest';
import { hasShortWord, recognize } from './patient-search.ts';

test.each([
  ['ada.beispiel@example.com', 'email'],
  ['@', 'email'],
  ['+49 30 / 23125-041', 'phone'],
  ['030-23125041', 'phone'],
  ['٠٣٠٢٣١٢٥', 'phone'],
  ['01JB0000000000000000PAT1E0', 'id'],
  ['00000000000000000000000000', 'id'],
  ['patient_0001', 'id'],
  ['4711', 'id'],
  ['pms:4711', 'id'],
  ['Akte/2030-17', 'id'],
  ['Ada', 'name'],
  ["d'Arc", 'name'],
  ['Li Wang', 'name'],
  ['Ng', 'name'],
  ['M. L.', 'name'],
  ['王', 'name'],
  ['Beispiel 2', 'name'],
  ['Müller-Lüdenscheidt', 'name'],
])('recognizes %s as %s', (entered, by) => {
  expect(recognize(`  ${entered} `)).toEqual({ by, text: entered });
});

test.each([
  ['?', 'one letter'],
  ["'", 'one letter'],
  ['23 12', 'six digits'],
  ['+49 30 1', 'six digits'],
])('says what to enter instead of %s', (entered, hint) => {
  expect(recognize(entered)).toEqual({ by: 'nothing', hint: expect.stringContaining(hint) });
});

test.each([
  ['Li', true],
  ['Li Wang', true],
  ["d'A", true],
  ['mue', true],
  ['王', true],
  ['王芳', false],
  ['Ada', false],
  ["d'Arc", false],
])('of %s, a word finds only the same complete word: %s', (text, isShort) => {
  expect(hasShortWord({ by: 'name', text })).toBe(isShort);
  expect(hasShortWord({ by: 'phone', text })).toBe(false);
});
