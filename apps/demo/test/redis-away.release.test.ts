import { startRedisCluster, startRedisWithSentinel } from '@chairside/local-services';
import { startWholeService, type WholeService } from '@chairside/test-support';
import { expect, onTestFinished, test } from 'vitest';

const startOver = async (redisUrl: string): Promise<WholeService> => {
  const service = await startWholeService(redisUrl);
  onTestFinished(() => service.close());
  return service;
};

/** Creates patients one after the other until `ended` is aborted. Every write must succeed. */
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

/** Writes before and during a change of Redis. Expects that each event is delivered once. */
const writeThrough = async (service: WholeService, change: () => Promise<unknown>): Promise<void> => {
  const ended = new AbortController();
  const writing = writeUntil(service, ended.signal);
  const changing = service.receiver.until((posts) => posts.length > 5).then(change);
  await Promise.race([changing, writing]).finally(() => ended.abort());
  await expectEachOnce(service, await writing);
};

const UNREACHABLE = /^Redis is unreachable: events/;
const BACK = /^Redis is reachable again: events/;

/** Resolves when both api and dispatcher have logged a line that matches `said` after `change` began. */
const untilBothSay = async (
  { api, dispatcher }: WholeService,
  said: RegExp,
  change: () => Promise<unknown>,
): Promise<void> => {
  const saying = [api, dispatcher].map((each) => {
    const before = new Set(each.lines);
    return each.logged((line) => said.test(line.msg) && !before.has(line));
  });
  await Promise.all([change(), ...saying]);
};

test('when the master is killed, every write succeeds and each event is delivered once, also through the new master', async () => {
  const redis = await startRedisWithSentinel();
  onTestFinished(() => redis.stop());
  const service = await startOver(redis.url);
  await writeThrough(service, () => untilBothSay(service, BACK, () => redis.master.kill()));
});

test('when each node of a cluster is killed and restarted, every write succeeds and each event is delivered once', async () => {
  const cluster = await startRedisCluster();
  onTestFinished(() => cluster.stop());
  const service = await startOver(cluster.url);
  await writeThrough(service, async () => {
    for (const node of cluster.nodes) {
      // By default, a cluster that has lost a part of its slots serves no keys.
      await untilBothSay(service, UNREACHABLE, () => node.kill());
      await untilBothSay(service, BACK, () => node.resume());
    }
  });
});
