import { get } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { openRateLimiter, type RateLimiter } from '@chairside/queue';
import { basic, createKey, LONGEST_WAIT_MS, steadyLimiter, testEngines } from '@chairside/test-support';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApi, type TestApi, token, untilCountedInRedis } from './api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
  await untilCountedInRedis(api);
});
afterAll(() => api.close());

const openLimiter = () => {
  const { redisUrl: url } = testEngines();
  const limiter = steadyLimiter(
    openRateLimiter({
      url,
      prefix: api.redisPrefix,
      commandTimeout: LONGEST_WAIT_MS,
      onUnavailable: () => {},
      onAvailable: () => {},
    }),
  );
  return { limiter, close: () => limiter.close() };
};
/** Resolves when the limiter counts in Redis. Before a limiter is connected, it counts only its own calls. */
const untilShared = async (limiter: RateLimiter): Promise<void> => {
  const other = openLimiter();
  const many = { calls: 1e6, seconds: 60 };
  await expect
    .poll(async () => {
      await other.limiter.take('warm-up', many);
      return (await limiter.look('warm-up', many)).remaining;
    })
    .toBeLessThan(1e6 - 1);
  await other.close();
};

const keyWith = async (rateLimit: number) => {
  const { secret } = await createKey(
    api.practice.store,
    { name: 'x', scopes: ['clinics:read'], rateLimit },
    new Date(),
  );
  return basic(secret);
};

test('limits the requests of a key per minute, and returns the remaining number with every response', async () => {
  const as = await keyWith(3);
  const responses = [];
  for (let call = 0; call < 5; call++) responses.push(await api.call('GET', '/api/clinics', { as }));
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
  expect(responses.map(({ headers }) => headers.get('ratelimit-policy'))).toEqual(
    Array(5).fill('"key";q=3;w=60'),
  );
  expect(responses.map(({ headers }) => headers.get('ratelimit')?.replace(/t=\d+/, 't='))).toEqual(
    [2, 1, 0, 0, 0].map((remaining) => `"key";r=${remaining};t=`),
  );
  const [, , , refused] = responses;
  expect(refused?.json).toMatchObject({ name: 'TooManyRequests', statusCode: 429 });
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('counts a refusal because of a missing scope, and does not affect other keys', async () => {
  const as = await keyWith(1);
  const forbidden = await api.call('GET', '/api/patients', { as });
  expect({ status: forbidden.status, left: forbidden.headers.get('ratelimit') }).toEqual({
    status: 403,
    left: expect.stringContaining('r=0'),
  });
  expect((await api.call('GET', '/api/patients', { as })).status).toBe(429);
  expect((await api.call('GET', '/api/clinics', { as: await keyWith(1) })).status).toBe(200);
});

test("allows 3,000 requests per minute to an access token, including operators' routes", async () => {
  const { email, password } = api.practice.administrator;
  const session = (await api.call('POST', '/api/sessions', { as: '', body: { email, password } })).json;
  const as = token(session.token);
  const first = await api.call('GET', '/api/operators', { as });
  expect(first.headers.get('ratelimit-policy')).toBe('"token";q=3000;w=60');
  expect(first.headers.get('ratelimit')).toMatch(/^"token";r=2999;t=\d+$/);
  // Uses up the rest of this minute's limit, through the counter that the api uses.
  const { limiter, close } = openLimiter();
  await untilShared(limiter);
  const limit = { calls: 3000, seconds: 60 };
  await Promise.all(Array.from({ length: 2999 }, () => limiter.take(`token:${session._id}`, limit)));
  // The api has taken one percent of the limit in advance.
  const responses = [];
  for (let call = 0; call < 31; call++) responses.push(await api.call('GET', '/api/operators', { as }));
  expect(responses.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(30);
  const refused = responses.at(-1);
  expect({ status: refused?.status, name: refused?.json.name }).toEqual({
    status: 429,
    name: 'TooManyRequests',
  });
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await api.call('GET', '/api/clinics', { as: token(api.practice.staff.token) })).status).toBe(200);
  await close();
});

test('returns 429 after five failed sign-ins for one e-mail address from one network; others still sign in', async () => {
  const { staff, administrator } = api.practice;
  const signIn = (email: string, password: string) =>
    api.call('POST', '/api/sessions', { as: '', body: { email, password } });
  for (let attempt = 0; attempt < 5; attempt++) expect((await signIn(staff.email, 'wrong')).status).toBe(401);
  const refused = await signIn(staff.email.toUpperCase(), staff.password);
  expect(refused.status).toBe(429);
  expect(refused.headers.has('retry-after')).toBe(true);
  expect((await signIn(administrator.email, administrator.password)).status).toBe(200);
});

test('the keys of counters contain no IP address and no e-mail address', async () => {
  const redis = new Redis(testEngines().redisUrl);
  const keys = await redis.keys(`${api.redisPrefix}*`);
  redis.disconnect();
  expect(keys.length).toBeGreaterThan(0);
  expect(keys.join()).not.toMatch(/example\.com|127\.0\.0\.1|staff|administrator/);
});

test('returns 429 after three hundred responses with 401 to one network, but not to valid credentials', async () => {
  const statuses = new Set<number>();
  for (let call = 0; call < 300; call++) {
    statuses.add((await api.call('GET', '/api/clinics', { as: 'Token nonsense' })).status);
  }
  expect([...statuses]).toEqual([401]);
  const refused = await api.call('GET', '/api/clinics', { as: 'Token nonsense' });
  expect(refused.status).toBe(429);
  expect((await api.call('GET', '/api/clinics')).status).toBe(200);
});

test('uses the forwarded address behind a trusted proxy, and ignores it otherwise', async () => {
  const [behindProxy, direct] = [await openTestApi(['127.0.0.1']), await openTestApi()];
  await Promise.all([behindProxy, direct].map(untilCountedInRedis));
  const from = async ({ call }: TestApi, address: string) => {
    const headers = { 'x-forwarded-for': address };
    return (await call('GET', '/api/clinics', { as: 'Token nonsense', headers })).status;
  };
  for (let call = 0; call < 300; call++) {
    expect(await from(behindProxy, '198.51.100.1')).toBe(401);
    expect(await from(direct, `198.51.100.${call % 100}`)).toBe(401);
  }
  expect(await from(behindProxy, '198.51.100.1')).toBe(429);
  expect(await from(behindProxy, '198.51.100.2')).toBe(401);
  expect(await from(direct, '198.51.100.200')).toBe(429);
  await Promise.all([behindProxy.close(), direct.close()]);
});

test('compresses a list if the caller accepts it', async () => {
  const body = { clinicId: api.practice.clinicIds[0], name: 'x'.repeat(400) };
  for (let index = 0; index < 5; index++) await api.call('POST', '/api/patients', { body });
  const plain = await api.call('GET', '/api/patients');
  const compressed = await new Promise<{ encoding: string | undefined; data: Buffer }>((resolve, reject) => {
    const headers = { authorization: basic(api.practice.apiKey), 'accept-encoding': 'gzip' };
    get(`${api.url}/api/patients`, { headers }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve({ encoding: response.headers['content-encoding'], data: Buffer.concat(chunks) });
    }).on('error', reject);
  });
  expect(compressed.encoding).toBe('gzip');
  expect(gunzipSync(compressed.data).toString()).toBe(plain.text);
});
