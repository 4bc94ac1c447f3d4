import { expect, test } from 'vitest';
import { z } from 'zod';
import { mailSenderOf, mailSettings, parseMailUrl, requireWithMail } from './settings.ts';

test.each([
  ['smtps://mail.example.com', { host: 'mail.example.com', port: 465, security: 'tls' }],
  ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, security: 'starttls' }],
  ['smtp://mail.example.com:2525', { port: 2525, security: 'starttls' }],
  ['smtp://localhost:25', { host: 'localhost', port: 25, security: 'none' }],
  ['smtp://[::1]:25', { host: '::1', security: 'none' }],
  ['smtp://relay.internal:25/?tls=none', { host: 'relay.internal', port: 25, security: 'none' }],
  ['smtps://a%40b:p%3Ass@mail.example.com', { user: { name: 'a@b', password: 'p:ss' } }],
])('%s', (url, expected) => {
  expect(parseMailUrl(url)).toMatchObject(expected);
});

test.each([
  'mail.example.com',
  'https://mail.example.com',
  'smtp://',
  'smtp://mail.example.com/path',
  'smtp://mail.example.com/#x',
  'smtp://mail.example.com/?tls=off',
  'smtp://mail.example.com/?pool=true',
  'smtps://mail.example.com/?tls=none',
  'smtp://hush@mail.example.com',
  'smtp://:hush@mail.example.com',
  'smtp://u:hu%zzsh@mail.example.com',
])('refuses %s, without quoting it', (url) => {
  expect(() => parseMailUrl(url)).toThrow(/^must /);
  expect(() => parseMailUrl(url)).not.toThrow(/hush|zz/);
});

const schema = requireWithMail(z.object({ ...mailSettings, DASHBOARD_URL: z.string().optional() }), [
  'MAIL_FROM',
  'DASHBOARD_URL',
]);

test('MAIL_URL requires a sender and the address of the dashboard', () => {
  const result = schema.safeParse({ MAIL_URL: 'smtp://localhost' });
  expect(result.error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`)).toEqual([
    'MAIL_FROM is required with MAIL_URL',
    'DASHBOARD_URL is required with MAIL_URL',
  ]);
});

test('without MAIL_URL, there is no mail', () => {
  expect(mailSenderOf(schema.parse({ MAIL_FROM: 'chairside@example.com' }))).toBeUndefined();
});
