import { startRedisCluster } from '@chairside/local-services';
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
  expect(await examineRedis(cluster)).toMatchObject([
    { check: 'Redis', ok: true, finding: expect.stringMatching(/version \d+\.\S+, 3 nodes$/) },
    { check: 'Redis eviction', ok: true },
  ]);
  for (const url of [
    'redis+cluster://127.0.0.1:1',
    'redis+sentinel://127.0.0.1:1/master',
    'redis://127.0.0.1:1',
  ]) {
    expect(await examineRedis({ url })).toMatchObject([{ check: 'Redis', ok: false }]);
  }
});
