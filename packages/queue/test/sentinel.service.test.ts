import { type RedisWithSentinel, startRedisWithSentinel } from '@chairside/local-services';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openQueueUser } from './queue-user.ts';

let redis: RedisWithSentinel;
let user: ReturnType<typeof openQueueUser>;
beforeEach(async () => {
  redis = await startRedisWithSentinel();
  user = openQueueUser(redis);
  await user.untilDelivered();
  await user.untilLimitedTogether();
});
afterEach(async () => {
  await user.close();
  await redis.stop();
});

const keysOf = async ({ url }: { url: string }): Promise<string[]> => {
  const client = new Redis(url);
  const keys = await client.keys(`${user.prefix}*`);
  client.disconnect();
  return keys;
};

test('when the master crashes, no call hangs, each listener is called once, and all connections continue with the new master', async () => {
  await redis.master.kill();
  await user.useAll();
  await user.untilDelivered();
  await user.untilLimitedTogether();
  const who = ['consumer', 'limiter', 'limiter', 'producer'];
  await expect
    .poll(() => user.notices.toSorted())
    .toEqual(who.flatMap((name) => [`${name} away`, `${name} back`]).toSorted());
  expect(await keysOf(redis.replica)).not.toEqual([]);
});

test('when the sentinel crashes, open connections continue', async () => {
  await redis.sentinel.kill();
  await user.untilDelivered();
  await user.untilLimitedTogether();
  expect(user.notices).toEqual([]);
});
