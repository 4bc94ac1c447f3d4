import { openPasswords } from '@chairside/mongodb';
import { counterKey, openRateLimiter } from '@chairside/queue';
import {
  createKey,
  createPractice,
  LONGEST_WAIT_MS,
  steadyLimiter,
  testEngines,
} from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApi, type TestApi, token, untilCountedInRedis } from './api.ts';

let api: TestApi;
beforeAll(async () => {
  // The api trusts `X-Forwarded-For`, so the tests choose the address of the caller.
  // Passwords that wait are hashed each time.
  api = await openTestApi(['127.0.0.1'], [], { passwords: openPasswords() });
  await untilCountedInRedis(api);
});
afterAll(() => api.close());

const signIn = (email: string, password: string, address: string) =>
  api.call('POST', '/api/sessions', {
    as: '',
    body: { email, password },
    headers: { 'x-forwarded-for': address },
  });
/** Runs five attempts at a time, so that all fifty fall into one minute even on a slow machine. */
const failFifty = async (attempt: (index: number) => ReturnType<typeof signIn>): Promise<void> => {
  for (let index = 0; index < 50; index += 5) {
    const responses = await Promise.all([0, 1, 2, 3, 4].map((next) => attempt(index + next)));
    expect(responses.map(({ status }) => status)).toEqual(Array(5).fill(401));
  }
};

test('returns 429 to every network after fifty failures of one e-mail address; others still sign in', async () => {
  const { staff, administrator } = api.practice;
  await failFifty((index) => signIn(staff.email, 'wrong', `198.51.100.${index}`));
  const refused = await signIn(staff.email, staff.password, '203.0.113.1');
  expect({ status: refused.status, name: refused.json.name }).toEqual({
    status: 429,
    name: 'TooManyRequests',
  });
  const wait = Number(refused.headers.get('retry-after'));
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(60);
  for (const address of ['203.0.113.1', '198.51.100.1']) {
    expect((await signIn(administrator.email, administrator.password, address)).status).toBe(200);
  }
});

test('returns 429 for every e-mail address after fifty failures from one network; other networks still sign in', async () => {
  const { administrator } = api.stranger;
  await failFifty((index) => signIn(`nobody.${index}@example.com`, 'wrong', '192.0.2.1'));
  const refused = await signIn(administrator.email, administrator.password, '192.0.2.1');
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await signIn(administrator.email, administrator.password, '192.0.2.2')).status).toBe(200);
});

test('does not count a success as a failure: sixty sign-ins of one operator from one network succeed', async () => {
  const { staff } = api.stranger;
  for (let index = 0; index < 60; index += 5) {
    const attempts = [0, 1, 2, 3, 4].map(() => signIn(staff.email, staff.password, '192.0.2.3'));
    expect((await Promise.all(attempts)).map(({ status }) => status)).toEqual(Array(5).fill(200));
  }
});

const count = (responses: { status: number }[]) =>
  Object.fromEntries(
    [...Map.groupBy(responses, ({ status }) => status)].map(([status, group]) => [status, group.length]),
  );

test('checks five of two hundred concurrent sign-ins for one e-mail address, and locks nobody else out', async () => {
  const { administrator } = await createPractice(api.store);
  const attempts = Array.from({ length: 200 }, (_, index) =>
    signIn(administrator.email, index === 150 ? administrator.password : `guess ${index}`, '192.0.2.10'),
  );
  expect(count(await Promise.all(attempts))).toEqual({ 401: 5, 429: 195 });
  expect((await signIn(administrator.email, administrator.password, '203.0.113.10')).status).toBe(200);
});

test('counts all addresses of an IPv6 /64 as one network, and a mapped IPv4 address as IPv4', async () => {
  const { staff } = await createPractice(api.store);
  for (let index = 1; index <= 5; index++)
    expect((await signIn(staff.email, 'wrong', `2001:db8:0:7::${index}`)).status).toBe(401);
  expect((await signIn(staff.email, staff.password, '2001:db8:0:7:ffff::1')).status).toBe(429);
  expect((await signIn(staff.email, staff.password, '2001:db8:0:8::1')).status).toBe(200);
  const { administrator } = await createPractice(api.store);
  for (let index = 1; index <= 5; index++)
    expect((await signIn(administrator.email, 'wrong', '::ffff:192.0.2.11')).status).toBe(401);
  expect((await signIn(administrator.email, administrator.password, '192.0.2.11')).status).toBe(429);
});

test('failures from other networks do not stop an operator who has signed in from this network before', async () => {
  const { administrator } = await createPractice(api.store);
  const fromHome = () => signIn(administrator.email, administrator.password, '203.0.113.12');
  expect((await fromHome()).status).toBe(200);
  await failFifty((index) => signIn(administrator.email, 'wrong', `198.51.101.${index}`));
  expect((await signIn(administrator.email, administrator.password, '203.0.113.13')).status).toBe(429);
  expect((await fromHome()).status).toBe(200);
});

test('a flood from one network does not delay a sign-in from another', async () => {
  const { administrator } = await createPractice(api.store);
  const responded: string[] = [];
  const flood = Array.from({ length: 50 }, async (_, index) => {
    await signIn(`flood.${index}@example.com`, 'wrong', '192.0.2.14');
    responded.push('flood');
  });
  await expect.poll(() => api.store.passwords.waiting()).toBeGreaterThan(20);
  const { status } = await signIn(administrator.email, administrator.password, '203.0.113.14');
  expect(status).toBe(200);
  const before = responded.length;
  await Promise.all(flood);
  // Networks take turns, so a part of the flood is still waiting when this sign-in ends.
  expect(before).toBeLessThan(40);
});

test('returns 503 with Retry-After if too many passwords wait, and does not count it as a failure', async () => {
  const attempts = Array.from({ length: 150 }, (_, index) =>
    signIn(`many.${index}@example.com`, 'wrong', `198.51.102.${index}`),
  );
  const responses = await Promise.all(attempts);
  const busy = responses.filter(({ status }) => status === 503);
  expect(busy.length).toBeGreaterThan(0);
  for (const { headers, json } of busy) {
    expect(json).toMatchObject({ name: 'ServiceUnavailable', statusCode: 503 });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect(responses.every(({ status }) => status === 401 || status === 503)).toBe(true);
  const { text } = await api.metrics.expose();
  expect(text).toMatch(/^chairside_api_passwords_waiting 0$/m);
});

test('checks five of thirty concurrent reveals with a wrong password', async () => {
  const { administrator, store } = await createPractice(api.store);
  const { _id } = await createKey(store, { name: 'x', scopes: [], rateLimit: 1 }, new Date());
  const reveal = (password: string) =>
    api.call('POST', `/api/apikeys/${_id}/reveal`, { as: token(administrator.token), body: { password } });
  const wrong = await Promise.all(Array.from({ length: 30 }, () => reveal('wrong')));
  expect(count(wrong)).toEqual({ 403: 5, 429: 25 });
  expect((await reveal(administrator.password)).status).toBe(429);
});

test('counts wrong passwords of a stolen token as failures of the e-mail address, from every network', async () => {
  const { administrator } = await createPractice(api.store);
  const confirm = (password: string, address: string) =>
    api.call('POST', '/api/sessions/current/confirm', {
      as: token(administrator.token),
      body: { password },
      headers: { 'x-forwarded-for': address },
    });
  const home = '203.0.113.20';
  expect((await signIn(administrator.email, administrator.password, home)).status).toBe(200);
  for (let index = 0; index < 50; index += 5) {
    const tries = [0, 1, 2, 3, 4].map((next) => confirm('a guess', `198.51.103.${index + next}`));
    expect((await Promise.all(tries)).map(({ status }) => status)).toEqual(Array(5).fill(403));
  }
  expect((await confirm(administrator.password, '203.0.113.21')).status).toBe(429);
  expect((await signIn(administrator.email, administrator.password, '203.0.113.21')).status).toBe(429);
  expect((await confirm(administrator.password, home)).status).toBe(200);
});

test('allows an IPv6 site two hundred failures a minute, over all its networks', async () => {
  const limiter = steadyLimiter(
    openRateLimiter({
      url: testEngines().redisUrl,
      prefix: api.redisPrefix,
      commandTimeout: LONGEST_WAIT_MS,
      onUnavailable: () => {},
      onAvailable: () => {},
    }),
  );
  const key = counterKey('password-site', '2001:db8:9::/48');
  const limit = { calls: 200, seconds: 60 };
  const guess = (network: number) =>
    signIn(`site.${network}@example.com`, 'wrong', `2001:db8:9:${network}::1`);
  expect((await guess(1)).status).toBe(401);
  // Before Redis is connected, the limiter counts only its own calls.
  await expect.poll(async () => (await limiter.look(key, limit)).remaining).toBe(199);
  await Promise.all(Array.from({ length: 198 }, () => limiter.take(key, limit)));
  expect((await guess(2)).status).toBe(401);
  expect((await guess(3)).status).toBe(429);
  await limiter.close();
});
