import { expect, test } from 'vitest';
import { guarded, unguarded } from './formulas.ts';

test.each([
  ['=1+1', "'=1+1"],
  ['+49 30', "'+49 30"],
  ['-5', "'-5"],
  ['@name', "'@name"],
  ['\tx', "'\tx"],
  ['\rx', "'\rx"],
  ["'=1", "''=1"],
  ["''", "'''"],
  ["'t Hooft", "'t Hooft"],
  ["'", "'"],
  ['', ''],
  ['5-3', '5-3'],
])('%j is written as %j', (text, cell) => {
  expect(guarded(text)).toBe(cell);
  expect(unguarded(cell)).toBe(text);
});

test('every text is read as it was written, and no written text begins like a formula', () => {
  const alphabet = [..."'''=+-@\t\r\na\" 0,;é"];
  for (let round = 0; round < 20_000; round++) {
    const length = Math.floor(Math.random() * 6);
    const text = Array.from({ length }, () => alphabet[Math.floor(Math.random() * alphabet.length)]).join('');
    expect(unguarded(guarded(text))).toBe(text);
    expect(guarded(text)).not.toMatch(/^[=+\-@\t\r]/);
  }
});
