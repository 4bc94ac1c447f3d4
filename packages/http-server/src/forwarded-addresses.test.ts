import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { forwardedAddresses } from './forwarded-addresses.ts';

const PROXY = '127.0.0.1';
const lines: string[] = [];
const addressFor = async (forwarded: string, trusted = [PROXY, '10.0.0.0/8']): Promise<string> => {
  const app = Fastify({
    trustProxy: trusted.length > 0 ? trusted : false,
    logger: { stream: { write: (line) => void lines.push(line) } },
  });
  forwardedAddresses(app, trusted);
  app.get('/', async ({ ip }) => ip);
  const { body } = await app.inject({ url: '/', headers: { 'x-forwarded-for': forwarded } });
  await app.inject({ url: '/', headers: { 'x-forwarded-for': forwarded } });
  await app.close();
  return body;
};

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:51234', '203.0.113.7'],
  ['[2001:db8::7]:51234', '2001:db8::7'],
  ['[2001:db8::7]', '2001:db8::7'],
  ['2001:db8::7', '2001:db8::7'],
  ['::ffff:203.0.113.7', '::ffff:203.0.113.7'],
  ['198.51.100.1, 203.0.113.7:51234, 10.0.0.1:80', '203.0.113.7'],
  ['nobody, 203.0.113.7:51234', '203.0.113.7'],
  // The caller counts as the proxy that wrote what is no address.
  ['unknown', PROXY],
  ['203.0.113.7, unknown', PROXY],
  ['203.0.113.7, _hidden, 10.0.0.1', '10.0.0.1'],
  ['203.0.113.7:', PROXY],
  ['203.0.113.7:x', PROXY],
  ['999.0.0.1:80', PROXY],
  ['[203.0.113.7', PROXY],
])('the caller behind %s is %s', async (forwarded, address) => {
  expect(await addressFor(forwarded)).toBe(address);
});

test('a proxy that writes no address is reported once, and an entry of a caller is not', async () => {
  const warned = () => lines.filter((line) => line.includes('X-Forwarded-For')).length;
  const before = warned();
  await addressFor('nobody, 203.0.113.7:51234');
  expect(warned()).toBe(before);
  await addressFor('unknown');
  expect(warned()).toBe(before + 1);
});

test('the app knows whether a proxy writes no address', async () => {
  const app = Fastify({ trustProxy: [PROXY] });
  forwardedAddresses(app, [PROXY]);
  const known: boolean[] = [];
  for (const forwarded of ['203.0.113.7', 'unknown', '203.0.113.7']) {
    await app.inject({ url: '/', headers: { 'x-forwarded-for': forwarded } });
    known.push(app.hasUnreadableCallers);
  }
  expect(known).toEqual([false, true, true]);
});

test('without a trusted proxy, the header is ignored', async () => {
  expect(await addressFor('203.0.113.7:51234', [])).toBe(PROXY);
});

test('every public server reads forwarded addresses in this form', () => {
  const root = join(import.meta.dirname, '../../..');
  const servers = globSync('apps/{*,dashboard/*}/src/**/*.ts', { cwd: root })
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .filter((text) => /Fastify\(\s*serverOptions/.test(text));
  expect(servers.length).toBe(3);
  for (const text of servers) expect(text).toContain('forwardedAddresses(app, config.TRUST_PROXY)');
});
