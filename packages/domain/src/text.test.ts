import { expect, test } from 'vitest';
import { email, signInEmail } from './text.ts';

const messagesOf = (schema: typeof email, value: unknown): string[] =>
  schema.safeParse(value).error?.issues.map(({ message }) => message) ?? [];

const LOCAL_64 = 'a'.repeat(64);

// RFC 5321, 4.1.2, without address literals.
test.each([
  'name@example.com',
  'smith&co@example.com',
  'a/b@example.com',
  'user=tag@example.com',
  'x#1@example.com',
  'info@example.xn--p1ai',
  '"ada l"@example.com',
  "o'hara+dental@sub.example.co.uk",
  '{a}|b~`c^d?e*f%g$h!i@example.com',
  '"a\\"b@c"@example.com',
  '-@1and1.example',
  'a@b-c.de',
  'a@3com.com',
  `${LOCAL_64}@example.com`,
])('accepts %s', (address) => {
  expect(messagesOf(email, address)).toEqual([]);
});

test.each([
  '',
  'nobody',
  '@example.com',
  'a@',
  'a@b',
  'a b@example.com',
  '.a@example.com',
  'a.@example.com',
  'a..b@example.com',
  'a@-b.com',
  'a@b-.com',
  'a@b..com',
  'a@example.com.',
  'a@[192.0.2.1]',
  'a@192.0.2.1',
  'Ada <a@example.com>',
  'a@example.com, b@example.com',
  'mailto:a@example.com',
  'a@example.com\n',
  '"a"b@example.com',
  '"a@example.com',
  'j\u00fcrgen@example.com',
  `${LOCAL_64}a@example.com`,
  `"${LOCAL_64.slice(1)}"@example.com`,
  `a@${'b'.repeat(64)}.com`,
  `a@${'b.'.repeat(127)}com`,
])('refuses %j', (address) => {
  expect(messagesOf(email, address)).toEqual(['must be an e-mail address such as name@example.com']);
});

test('names the form of a domain that is not ASCII', () => {
  expect(messagesOf(email, 'info@\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444')).toEqual([
    expect.stringContaining('written in ASCII'),
  ]);
});

test('reports one issue for a text that is too long', () => {
  expect(messagesOf(email, `${'a'.repeat(400)}@example.com`)).toEqual(['must have at most 320 characters']);
});

test('operators sign in with an unquoted address, because the fields of browsers refuse others', () => {
  expect(messagesOf(signInEmail, 'smith&co@example.com')).toEqual([]);
  expect(messagesOf(signInEmail, '"ada l"@example.com')).toEqual(['must not begin with a quote']);
});
