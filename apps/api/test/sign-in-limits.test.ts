import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApi, type TestApi, untilCountedInRedis } from './api.ts';

let api: TestApi;
beforeAll(async () => {
  // What stands before it says who calls.
  api = await openTestApi(['127.0.0.1']);
  await untilCountedInRedis(api);
});
afterAll(() => api.close());

const signIn = (email: string, password: string, address: string) =>
  api.call('POST', '/api/sessions', {
    as: '',
    body: { email, password },
    headers: { 'x-forwarded-for': address },
  });
/** Some at a time: all fifty must fall into the minute that is counted, on a slow machine too. */
const failFifty = async (attempt: (index: number) => ReturnType<typeof signIn>): Promise<void> => {
  for (let index = 0; index < 50; index += 5) {
    const answers = await Promise.all([0, 1, 2, 3, 4].map((next) => attempt(index + next)));
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(401));
  }
};

test('fifty failures of one e-mail, from fifty addresses: 429 from any address, and others still sign in', async () => {
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

test('fifty failures of one address, with fifty e-mails: 429 for any e-mail, and other addresses still sign in', async () => {
  const { administrator } = api.stranger;
  await failFifty((index) => signIn(`nobody.${index}@example.com`, 'wrong', '192.0.2.1'));
  const refused = await signIn(administrator.email, administrator.password, '192.0.2.1');
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await signIn(administrator.email, administrator.password, '192.0.2.2')).status).toBe(200);
});

test('a success is no failure: sixty of one e-mail from one address are let in', async () => {
  const { staff } = api.stranger;
  for (let index = 0; index < 60; index += 5) {
    const attempts = [0, 1, 2, 3, 4].map(() => signIn(staff.email, staff.password, '192.0.2.3'));
    expect((await Promise.all(attempts)).map(({ status }) => status)).toEqual(Array(5).fill(200));
  }
});
