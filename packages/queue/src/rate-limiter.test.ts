import { randomUUID } from 'node:crypto';
import { testEngines } from '@chairside/test-support';
import { afterEach, expect, test } from 'vitest';
import { openRateLimiter, type RateLimiter } from './rate-limiter.ts';

const open: RateLimiter[] = [];
afterEach(() => Promise.all(open.splice(0).map((limiter) => limiter.close())));

const prefix = `{test-${randomUUID()}}`;
const start = (url = testEngines().redisUrl) => {
  let away = 0;
  const limiter = openRateLimiter({ url, prefix, onAway: () => away++, onBack: () => {} });
  open.push(limiter);
  return { limiter, timesAway: () => away };
};
const three = { calls: 3, seconds: 60 };

test('two processes count together; a refused call returns how long to wait', async () => {
  const [one, other] = [start().limiter, start().limiter];
  const key = randomUUID();
  // Until Redis is connected, each process counts for itself.
  await expect
    .poll(async () => (await one.take('warm-up', { calls: 1e6, seconds: 60 })).remaining)
    .toBeLessThan(1e6 - 1);
  await expect
    .poll(async () => (await other.take('warm-up', { calls: 1e6, seconds: 60 })).remaining)
    .toBeLessThan(1e6 - 2);
  expect(await one.take(key, three)).toEqual({ isAllowed: true, remaining: 2, resetSeconds: 60 });
  expect(await other.take(key, three)).toMatchObject({ isAllowed: true, remaining: 1 });
  expect(await one.look(key, three)).toMatchObject({ isAllowed: true, remaining: 1 });
  expect(await one.take(key, three)).toMatchObject({ isAllowed: true, remaining: 0 });
  expect(await other.look(key, three)).toMatchObject({ isAllowed: false, remaining: 0 });
  const refused = await other.take(key, three);
  expect(refused).toMatchObject({ isAllowed: false, remaining: 0 });
  expect(refused.resetSeconds).toBeGreaterThan(0);
});

test.each([
  ['in Redis', () => start()],
  ['while Redis is unreachable', () => start('redis://127.0.0.1:1')],
])(
  'a call that was given back may be made again, and the count never drops below zero: %s',
  async (_where, open) => {
    const { limiter } = open();
    const key = randomUUID();
    for (let call = 0; call < 3; call++) await limiter.take(key, three);
    await limiter.giveBack(key, three);
    expect((await limiter.take(key, three)).isAllowed).toBe(true);
    expect((await limiter.take(key, three)).isAllowed).toBe(false);
    const unknown = randomUUID();
    for (let call = 0; call < 2; call++) await limiter.giveBack(unknown, three);
    expect(await limiter.take(unknown, three)).toMatchObject({ isAllowed: true, remaining: 2 });
  },
);

test('a call can cost more than one, even while Redis is unreachable', async () => {
  const hundred = { calls: 100, seconds: 60 };
  for (const { limiter } of [start(), start('redis://127.0.0.1:1')]) {
    const key = randomUUID();
    expect(await limiter.take(key, hundred, 60)).toMatchObject({ isAllowed: true, remaining: 40 });
    expect(await limiter.take(key, hundred, 60)).toMatchObject({ isAllowed: false, remaining: 0 });
  }
});

test('while Redis is unreachable, a process counts for itself', async () => {
  const { limiter, timesAway } = start('redis://127.0.0.1:1');
  const states = [];
  for (let call = 0; call < 5; call++) states.push((await limiter.take('key', three)).isAllowed);
  expect(states).toEqual([true, true, true, false, false]);
  await expect.poll(timesAway).toBe(1);
});
