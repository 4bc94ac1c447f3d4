import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engine, startRedisCluster, startRedisWithSentinel } from '@chairside/local-services';
import { Redis } from 'ioredis';
import { generate } from 'selfsigned';
import { expect, onTestFinished, test } from 'vitest';
import { inspectRedis, type RedisServer } from '../src/index.ts';
import { openQueueUser } from './queue-user.ts';

/** The password must be percent-encoded in a URL. */
const PASSWORD = 'p@ss/w:rd';

const setPassword = async ({ url }: Engine): Promise<void> => {
  const client = new Redis(url);
  await client.config('SET', 'requirepass', PASSWORD);
  client.disconnect();
};

const withPassword = (url: string): string => url.replace('://', `://:${encodeURIComponent(PASSWORD)}@`);

const PREFIX = '{doctor}';

const expectToWork = async (server: RedisServer, servers: number): Promise<void> => {
  const user = openQueueUser(server);
  onTestFinished(() => user.close());
  await user.untilDelivered();
  await user.untilLimitedTogether();
  const inspection = await inspectRedis(server, PREFIX);
  expect(inspection.servers).toHaveLength(servers);
  expect(inspection.refusal).toBeUndefined();
};

/** Creates a certificate for 127.0.0.1. */
const makeCertificate = async () => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'redis' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  const folder = await mkdtemp(join(tmpdir(), 'redis-tls-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const files = { certificateFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  await writeFile(files.certificateFile, cert);
  await writeFile(files.keyFile, key);
  return { files, cert };
};

test('publishes and counts on a cluster with TLS and a password', async () => {
  const { files, cert } = await makeCertificate();
  const cluster = await startRedisCluster(process.env, files);
  onTestFinished(() => cluster.stop());
  await Promise.all(cluster.nodes.map(setPassword));
  await expectToWork({ url: withPassword(cluster.url), certificates: [cert] }, 3);
  await expect(inspectRedis({ url: cluster.url, certificates: [cert] }, PREFIX)).rejects.toThrow('NOAUTH');
});

test('publishes and counts behind a sentinel whose password differs from that of its master', async () => {
  const redis = await startRedisWithSentinel();
  onTestFinished(() => redis.stop());
  await Promise.all([redis.master, redis.replica].map(setPassword));
  const sentinel = new Redis(redis.sentinel.url);
  await sentinel.call('SENTINEL', 'SET', 'chairside', 'auth-pass', PASSWORD);
  await sentinel.call('ACL', 'SETUSER', 'default', 'resetpass', `>${PASSWORD}`);
  sentinel.disconnect();
  const url = withPassword(redis.url);
  const options = `sentinel_username=default&sentinel_password=${encodeURIComponent(PASSWORD)}`;
  await expectToWork({ url: `${url}/0?${options}` }, 1);
  await expect(inspectRedis({ url }, PREFIX)).rejects.toThrow('sentinels are unreachable');
});

test('publishes and counts before and after a failover, with TLS for the servers and the sentinel', async () => {
  const { files, cert } = await makeCertificate();
  const redis = await startRedisWithSentinel(process.env, files);
  onTestFinished(() => redis.stop());
  await expect(inspectRedis({ url: redis.url }, PREFIX)).rejects.toThrow('sentinels are unreachable');
  const server = { url: redis.url, certificates: [cert] };
  await expectToWork(server, 1);
  await redis.master.kill();
  const user = openQueueUser(server);
  onTestFinished(() => user.close());
  await user.untilDelivered();
});
