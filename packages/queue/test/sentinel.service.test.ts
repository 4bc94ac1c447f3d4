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

test('when the master crashes, no call hangs, each listener hears in turn that it is away and back, and all connections continue with the new master', async () => {
  await redis.master.kill();
  await user.useAll();
  await user.untilDelivered();
  await user.untilLimitedTogether();
  // A replica drops its clients when it becomes the master, so a connection may be back, and away once more.
  const heardBy = (name: string) =>
    user.notices.flatMap((notice) => (notice.startsWith(`${name} `) ? [notice.slice(name.length + 1)] : []));
  for (const name of ['consumer', 'limiter', 'other limiter', 'producer']) {
    await expect.poll(() => heardBy(name).at(-1)).toBe('back');
    const heard = heardBy(name);
    expect(heard).toEqual(heard.map((_notice, index) => (index % 2 === 0 ? 'away' : 'back')));
  }
  expect(await keysOf(redis.replica)).not.toEqual([]);
});

test('when the sentinel crashes, open connections continue', async () => {
  await redis.sentinel.kill();
  await user.untilDelivered();
  await user.untilLimitedTogether();
  expect(user.notices).toEqual([]);
});
