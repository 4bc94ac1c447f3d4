import { expect, test } from 'vitest';
import { canaryFinder } from './canary.ts';

const CANARY = 'paradiesvogel';
const find = canaryFinder(CANARY);

test('finds a canary, and eight bytes of it, in each encoding and case', () => {
  const around = (bytes: Buffer | string) =>
    Buffer.concat([Buffer.from('x{"'), Buffer.from(bytes), Buffer.from('"}')]);
  for (const text of ['Paradiesvogel', 'PARADIESVOGEL', 'pARADIESVOGEL', 'Paradies', 'IESVOGEL'])
    expect([text, find(around(text))]).toEqual([text, 'UTF-8']);
  expect(find(around(Buffer.from('Paradiesvogel', 'utf16le')))).toBe('UTF-16');
  expect(find(around(Buffer.from('Paradiesvogel', 'utf16le').swap16()))).toBe('UTF-16');
  for (const text of [CANARY, 'PARADIESVOGEL', 'Paradiesvogel']) {
    const hex = Buffer.from(text).toString('hex');
    expect(find(around(hex))).toBe('hexadecimal');
    expect(find(around(hex.toUpperCase()))).toBe('hexadecimal');
    for (const before of ['', 'a', 'ab', 'abc'])
      for (const encoding of ['base64', 'base64url'] as const)
        expect(find(around(Buffer.from(`${before}${text}?>`).toString(encoding)))).toBe('base64');
  }
  expect(find(around('\\u0050\\u0061\\u0072\\u0061\\u0064\\u0069\\u0065\\u0073'))).toBe('JSON escapes');
  expect(find(around('\\u0070\\u0061\\u0072\\u0061\\u0064\\u0069\\u0065\\u0073'))).toBe('JSON escapes');
});

test('finds nothing in other text and in random bytes', () => {
  expect(find(Buffer.from('paradie svogel adiesvo gel'))).toBeUndefined();
  const random = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 2_654_435_761) >>> 24));
  expect(find(random)).toBeUndefined();
});
