import { type Engine, type RedisCluster, startRedisCluster } from '@chairside/local-services';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openQueueUser } from './queue-user.ts';

let cluster: RedisCluster;
beforeAll(async () => {
  cluster = await startRedisCluster();
});
afterAll(() => cluster.stop());

let user: ReturnType<typeof openQueueUser>;
beforeEach(async () => {
  user = openQueueUser(cluster);
  await user.untilDelivered();
  await user.untilLimitedTogether();
});
afterEach(async () => {
  await user.close();
  await Promise.all(cluster.nodes.map((node) => node.resume()));
});

/** The keys of the queue and of the limits on each node. */
const keysByNode = () =>
  Promise.all(
    cluster.nodes.map(async (node) => {
      const redis = new Redis(node.url);
      const keys = await redis.keys(`${user.prefix}*`);
      redis.disconnect();
      return keys;
    }),
  );

const nodeOfTheQueue = async (): Promise<Engine> => {
  const keys = await keysByNode();
  return cluster.nodes[keys.findIndex((each) => each.length > 0)] as Engine;
};

test('the braces of the prefix keep all keys on one node', async () => {
  const used = (await keysByNode()).filter((keys) => keys.length > 0);
  expect(used).toHaveLength(1);
  expect(used[0]?.some((key) => key.includes(':events:'))).toBe(true);
  expect(used[0]?.some((key) => key.includes(':limit:'))).toBe(true);
});

test('when the node of the queue crashes, no call hangs; when the node is back, all operations work again', async () => {
  const node = await nodeOfTheQueue();
  await node.kill();
  await user.useAll();
  await node.resume();
  await user.untilDelivered();
  await user.untilLimitedTogether();
});

test('when the node of the queue freezes, no call hangs', async () => {
  const { pids } = await nodeOfTheQueue();
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  await user.useAll();
  for (const pid of pids) process.kill(pid, 'SIGCONT');
  await user.untilDelivered();
  await user.untilLimitedTogether();
});

test('a crash of the cluster is reported once to each listener; when the cluster is back without its data, all operations work again', async () => {
  await Promise.all(cluster.nodes.map((node) => node.kill()));
  const who = ['consumer', 'limiter', 'other limiter', 'producer'];
  await expect.poll(() => user.notices.toSorted()).toEqual(who.map((name) => `${name} away`));
  expect(user.producer.isReady()).toBe(false);
  await user.useAll();
  await Promise.all(cluster.nodes.map((node) => node.resume()));
  await user.untilDelivered();
  await user.untilLimitedTogether();
  expect(user.notices.slice(4).toSorted()).toEqual(who.map((name) => `${name} back`));
});

test('closing does not wait for an unreachable cluster', async () => {
  await Promise.all(cluster.nodes.map((node) => node.kill()));
});
