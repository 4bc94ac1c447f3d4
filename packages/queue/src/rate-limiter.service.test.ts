import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { LONGEST_WAIT_MS, testEngines } from '@chairside/test-support';
import { Redis } from 'ioredis';
import { afterEach, expect, test } from 'vitest';
import { openRateLimiter, type RateLimiter } from './rate-limiter.ts';

const open: RateLimiter[] = [];
afterEach(() => Promise.all(open.splice(0).map((limiter) => limiter.close())));

const prefix = `{test-${randomUUID()}}`;
/** @param commandTimeout after this time without a response of Redis, in milliseconds, the limiter counts for itself */
const start = (url = testEngines().redisUrl, commandTimeout = LONGEST_WAIT_MS) => {
  let unreachable = 0;
  const limiter = openRateLimiter({
    url,
    prefix,
    commandTimeout,
    onUnavailable: () => unreachable++,
    onAvailable: () => {},
  });
  open.push(limiter);
  return { limiter, timesUnavailable: () => unreachable };
};
/** Resolves when the limiter counts in Redis. Until Redis is connected, each process counts only its own calls. */
const connected = async (limiter: RateLimiter): Promise<void> => {
  const redis = new Redis(testEngines().redisUrl);
  const key = randomUUID();
  const inRedis = async () => {
    await limiter.take(key, { calls: 50, seconds: 3600 });
    return redis.exists(`${prefix}:limit:50/3600:${key}`);
  };
  await expect.poll(inRedis).toBe(1);
  redis.disconnect();
};
/** A relay to Redis that can stop forwarding commands. */
const startRelay = async () => {
  const { hostname, port } = new URL(testEngines().redisUrl);
  const callers = new Map<Socket, Socket>();
  const relay = createServer((caller) => {
    const redis = connect(Number(port), hostname);
    callers.set(caller, redis);
    caller.on('error', () => {}).on('close', () => redis.destroy());
    redis.on('error', () => {}).on('close', () => caller.destroy());
    redis.pipe(caller).pipe(redis);
  }).listen(0, '127.0.0.1');
  await once(relay, 'listening');
  return {
    url: `redis://127.0.0.1:${(relay.address() as AddressInfo).port}`,
    stop: () => callers.forEach((redis, caller) => void caller.unpipe(redis)),
    resume: () => callers.forEach((redis, caller) => void caller.pipe(redis)),
    close: () => relay.close(),
  };
};
const three = { calls: 3, seconds: 3600 };

test('two processes count together; a refused call returns how long to wait', async () => {
  const [one, other] = [start().limiter, start().limiter];
  const key = randomUUID();
  await connected(one);
  await connected(other);
  expect(await one.take(key, three)).toEqual({ isAllowed: true, remaining: 2, resetSeconds: 3600 });
  expect(await other.take(key, three)).toMatchObject({ isAllowed: true, remaining: 1 });
  expect(await one.look(key, three)).toMatchObject({ isAllowed: true, remaining: 1 });
  expect(await one.take(key, three)).toMatchObject({ isAllowed: true, remaining: 0 });
  expect(await other.look(key, three)).toMatchObject({ isAllowed: false, remaining: 0 });
  const refused = await other.take(key, three);
  expect(refused).toMatchObject({ isAllowed: false, remaining: 0 });
  expect(refused.resetSeconds).toBeGreaterThan(0);
});

test.each([
  [
    'in Redis',
    async () => {
      const { limiter } = start();
      await connected(limiter);
      return limiter;
    },
  ],
  ['while Redis is unreachable', async () => start('redis://127.0.0.1:1').limiter],
])(
  'a call that was given back may be made again, and the count never drops below zero: %s',
  async (_where, open) => {
    const limiter = await open();
    const key = randomUUID();
    for (let call = 0; call < 3; call++) await limiter.take(key, three);
    await limiter.refund(key, three);
    expect((await limiter.take(key, three)).isAllowed).toBe(true);
    expect((await limiter.take(key, three)).isAllowed).toBe(false);
    const unknown = randomUUID();
    for (let call = 0; call < 2; call++) await limiter.refund(unknown, three);
    expect(await limiter.take(unknown, three)).toMatchObject({ isAllowed: true, remaining: 2 });
  },
);

test('a call can cost more than one, even while Redis is unreachable', async () => {
  const hundred = { calls: 100, seconds: 3600 };
  for (const { limiter } of [start(), start('redis://127.0.0.1:1')]) {
    const key = randomUUID();
    expect(await limiter.take(key, hundred, 60)).toMatchObject({ isAllowed: true, remaining: 40 });
    expect(await limiter.take(key, hundred, 60)).toMatchObject({ isAllowed: false, remaining: 0 });
  }
});

test('while Redis is unreachable, each process counts by itself', async () => {
  const { limiter, timesUnavailable } = start('redis://127.0.0.1:1');
  const states = [];
  for (let call = 0; call < 5; call++) states.push((await limiter.take('key', three)).isAllowed);
  expect(states).toEqual([true, true, true, false, false]);
  await expect.poll(timesUnavailable).toBe(1);
});

test('a process reserves one percent in advance; no call beyond the limit is allowed, and one process can use the whole limit', async () => {
  const thousand = { calls: 1000, seconds: 3600, inAdvance: true };
  const [one, other] = [start().limiter, start().limiter];
  const key = randomUUID();
  await connected(one);
  await connected(other);
  expect(await one.take(key, thousand)).toMatchObject({ remaining: 999 });
  expect(await one.take(key, thousand)).toMatchObject({ remaining: 998 });
  expect(await one.look(key, thousand)).toMatchObject({ remaining: 998 });
  // The first process has reserved ten calls in advance.
  expect(await other.take(key, thousand)).toMatchObject({ remaining: 988 });

  const calls = Array.from({ length: 1500 }, (_, call) => (call % 3 === 0 ? other : one).take(key, thousand));
  const allowed = (await Promise.all(calls)).filter(({ isAllowed }) => isAllowed).length;
  expect(allowed + 3).toBeLessThanOrEqual(1000);
  expect(allowed + 3).toBeGreaterThanOrEqual(980);

  const exact = { calls: 1000, seconds: 3600 };
  const both = randomUUID();
  expect(await one.take(both, exact)).toMatchObject({ remaining: 999 });
  expect(await other.take(both, exact)).toMatchObject({ remaining: 998 });

  const own = randomUUID();
  const alone = await Promise.all(Array.from({ length: 1500 }, () => one.take(own, thousand)));
  expect(alone.filter(({ isAllowed }) => isAllowed)).toHaveLength(1000);
});

test('a process reserves nothing in advance while it counts by itself', async () => {
  const thousand = { calls: 1000, seconds: 3600, inAdvance: true };
  const relay = await startRelay();
  const { limiter } = start(relay.url, 100);
  await connected(limiter);
  const key = randomUUID();
  relay.stop();
  expect(await limiter.take(key, thousand)).toMatchObject({ isAllowed: true, remaining: 999 });
  relay.resume();
  await limiter.take(key, thousand);
  const redis = new Redis(testEngines().redisUrl);
  // Both requests reached Redis, the first one late, and each reserved ten calls in advance.
  await expect.poll(() => redis.get(`${prefix}:limit:1000/3600:${key}`)).toBe('22');
  redis.disconnect();
  relay.close();
});
