import { expect, test } from 'vitest';
import { makePassword } from './password.ts';

test('creates passwords of 24 characters that cannot be mistaken for each other, never the same twice', () => {
  const made = Array.from({ length: 1000 }, makePassword);
  for (const password of made) expect(password).toMatch(/^[a-km-np-z2-9]{4}(-[a-km-np-z2-9]{4}){5}$/);
  expect(new Set(made).size).toBe(made.length);
  // Every character of the alphabet appears.
  expect(new Set(made.join('').replaceAll('-', '')).size).toBe(32);
});
