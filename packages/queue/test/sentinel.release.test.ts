import { startRedisWithSentinel } from '@chairside/local-services';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { openQueueUser } from './queue-user.ts';

// This test is in the release check, because the failover of the sentinel takes ten seconds or more.
test('after an orderly failover, all connections continue with the new master', async () => {
  const redis = await startRedisWithSentinel();
  onTestFinished(() => redis.stop());
  const user = openQueueUser(redis);
  onTestFinished(() => user.close());
  await user.untilDelivered();
  const sentinel = new Redis(redis.sentinel.url);
  const master = new Redis(redis.master.url);
  for (const client of [sentinel, master]) onTestFinished(() => client.disconnect());
  await sentinel.call('SENTINEL', 'FAILOVER', 'chairside');
  await expect.poll(() => master.info('replication')).toContain('role:slave');
  await user.untilDelivered();
  await user.untilLimitedTogether();
});
