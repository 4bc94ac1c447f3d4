import { expect, test } from 'vitest';
import { safePath } from './redirect.ts';

test('keeps a path of the dashboard with its query', () => {
  expect(safePath('/deliveries?outcome=failed&cursor=a.b')).toBe('/deliveries?outcome=failed&cursor=a.b');
});

test('keeps the row that a mail leads to', () => {
  expect(safePath('/keys#01JB0000000000000000000000')).toBe('/keys#01JB0000000000000000000000');
});

test.each([
  '/keys#a/b',
  '//evil.example',
  '/\\evil.example',
  'https://evil.example',
  'javascript:alert(1)',
  '/\t/evil.example',
  '/@evil.example',
  '/sign-in?next=/',
  '',
  undefined,
  ['/'],
])('returns to the first page instead of %j', (value) => {
  expect(safePath(value)).toBe('/');
});
