import { startRedisCluster, startRedisWithSentinel } from '@chairside/local-services';
import { expect, onTestFinished, test } from 'vitest';
import { startWholeService, type WholeService } from './whole-service.ts';

const startOver = async (redisUrl: string): Promise<WholeService> => {
  const service = await startWholeService(redisUrl);
  onTestFinished(() => service.close());
  return service;
};

/** Creates patients one after another until it is aborted; every write must be answered. */
const writeUntil = async (service: WholeService, ended: AbortSignal): Promise<string[]> => {
  const [clinicId] = service.practice.clinicIds;
  const ids: string[] = [];
  while (!ended.aborted) {
    const { status, json } = await service.call('POST', '/api/patients', { clinicId });
    expect(status).toBe(200);
    ids.push(json._id);
  }
  return ids;
};

const expectEachOnce = async ({ receiver }: WholeService, ids: readonly string[]): Promise<void> => {
  await receiver.until((posts) => posts.length >= ids.length);
  expect(receiver.posts.map(({ json }) => json.data._id).toSorted()).toEqual(ids.toSorted());
};

/** Writes before, while and after `change` is made to Redis. */
const writeThrough = async (service: WholeService, change: () => Promise<unknown>): Promise<void> => {
  const ended = new AbortController();
  const writing = writeUntil(service, ended.signal);
  await service.receiver.until((posts) => posts.length > 5);
  await change();
  ended.abort();
  await expectEachOnce(service, await writing);
};

const isBack = ({ msg = '' }: { msg?: string }): boolean => msg.startsWith('redis is back');

test('the master is killed: every write is answered, each event is delivered once, by the new master too', async () => {
  const redis = await startRedisWithSentinel();
  onTestFinished(() => redis.stop());
  const service = await startOver(redis.url);
  await writeThrough(service, async () => {
    await redis.master.kill();
    await Promise.all([service.api.logged(isBack), service.dispatcher.logged(isBack)]);
  });
});

test('each node of a cluster is killed and comes back: every write is answered, each event delivered once', async () => {
  const cluster = await startRedisCluster();
  onTestFinished(() => cluster.stop());
  const service = await startOver(cluster.url);
  await writeThrough(service, async () => {
    for (const node of cluster.nodes) {
      await node.kill();
      await node.resume();
    }
    await Promise.all([service.api.logged(isBack), service.dispatcher.logged(isBack)]);
  });
});
