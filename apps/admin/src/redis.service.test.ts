import { startRedis, startRedisCluster } from '@chairside/local-services';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { examineRedis, policyVerdict } from './redis.ts';

test('accepts only noeviction, and reports a remedy for any other policy', () => {
  const kept = { evictionPolicy: 'noeviction' };
  expect(policyVerdict([kept, kept])).toMatchObject({ ok: true });
  expect(policyVerdict([kept, { evictionPolicy: 'allkeys-lru' }])).toMatchObject({
    ok: false,
    finding: expect.stringContaining('allkeys-lru'),
    hint: expect.stringContaining('noeviction'),
  });
  expect(policyVerdict([{ evictionPolicy: undefined }])).toMatchObject({ ok: false });
});

test('checks each node of a cluster, and reports the error of an unreachable one', async () => {
  const cluster = await startRedisCluster();
  onTestFinished(() => cluster.stop());
  expect(await examineRedis(cluster, '{doctor}')).toMatchObject([
    { check: 'Redis', ok: true, finding: expect.stringMatching(/version \d+\.\S+, 3 nodes$/) },
    { check: 'Redis storage', ok: true },
    { check: 'Redis eviction', ok: true },
  ]);
  for (const url of [
    'redis+cluster://127.0.0.1:1',
    'redis+sentinel://127.0.0.1:1/master',
    'redis://127.0.0.1:1',
  ]) {
    expect(await examineRedis({ url }, '{doctor}')).toMatchObject([{ check: 'Redis', ok: false }]);
  }
});

test('reports a Redis whose memory is full, although it is reachable, and leaves no key in one that is not', async () => {
  const redis = await startRedis({ ephemeral: true, environment: { ...process.env, REDIS_URL: '' } });
  onTestFinished(() => redis.stop());
  const client = new Redis(redis.url);
  onTestFinished(() => client.disconnect());
  const verdict = async () => {
    const [, storage] = await examineRedis(redis, '{doctor}');
    return storage;
  };
  expect(await verdict()).toMatchObject({ check: 'Redis storage', ok: true });
  expect(await client.keys('*')).toEqual([]);
  await client.config('SET', 'maxmemory', '1kb');
  expect(await verdict()).toMatchObject({
    check: 'Redis storage',
    ok: false,
    finding: 'Redis refuses to store a key (OOM)',
    hint: expect.stringContaining('maxmemory'),
  });
});
