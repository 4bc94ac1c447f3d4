import { expect, test } from 'vitest';
import { initialsOf } from './initials.ts';

test('returns the first letters of two words, or two letters of one word', () => {
  expect(initialsOf('dana.probst@example.com')).toBe('DP');
  expect(initialsOf('admin@example.com')).toBe('AD');
  expect(initialsOf('Zoë 王 x')).toBe('Z王');
  expect(initialsOf('@')).toBe('?');
});
