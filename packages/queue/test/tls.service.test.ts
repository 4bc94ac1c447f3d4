import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type Engine, startRedis } from '@chairside/local-services';
import { freePort } from '@chairside/processes';
import { Redis } from 'ioredis';
import { generate } from 'selfsigned';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { connectWorker, disconnect } from '../src/connection.ts';
import { openQueueUser } from './queue-user.ts';

const certificateFor = (name: string) =>
  generate([{ name: 'commonName', value: name }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: name }] }],
  });

const [good, other] = await Promise.all([certificateFor('localhost'), certificateFor('other.test')]);
let folder: string;
let redis: Engine;
let user: ReturnType<typeof openQueueUser> | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'redis-tls-'));
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(async () => {
  await user?.close();
  user = undefined;
  await redis.stop();
});

/** @returns the address of a server that presents this certificate */
const startWithTls = async ({ cert, private: key }: { cert: string; private: string }): Promise<string> => {
  const file = (name: string) => join(folder, name);
  await writeFile(file('cert.pem'), cert);
  await writeFile(file('key.pem'), key);
  redis = await startRedis({ ephemeral: true, environment: { ...process.env, REDIS_URL: '' } });
  const client = new Redis(redis.url);
  await client.config(
    'SET',
    'tls-auth-clients',
    'no',
    'tls-cert-file',
    file('cert.pem'),
    'tls-key-file',
    file('key.pem'),
  );
  const port = await freePort();
  await client.config('SET', 'tls-port', String(port));
  client.disconnect();
  return `rediss://localhost:${port}`;
};

test('a certification authority of the operator of the service is trusted', async () => {
  user = openQueueUser({ url: await startWithTls(good), certificates: [good.cert] });
  await user.untilDelivered();
  await user.untilLimitedTogether();
  expect(user.notices).toEqual([]);
});

test.each([
  ['that no authority has signed', good, [], 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['for another host', other, [other.cert], 'ERR_TLS_CERT_ALTNAME_INVALID'],
])(
  'a certificate %s: Redis counts as unreachable, and nothing hangs',
  async (_name, pair, certificates, code) => {
    user = openQueueUser({ url: await startWithTls(pair), certificates });
    await expect.poll(() => user?.notices.length).toBe(4);
    expect(new Set(user.errors.map((error) => (error as NodeJS.ErrnoException).code))).toEqual(
      new Set([code]),
    );
    await user.useAll();
  },
);

test('closing a connection while its certificate is refused does not end the process', async () => {
  const url = await startWithTls(other);
  const connections: ReturnType<typeof connectWorker>[] = [];
  // The connections are closed at different moments of the handshake. An error without a listener fails the test run.
  for (let turns = 0; turns < 200; turns++) {
    const connection = connectWorker({ url });
    connections.push(connection);
    connection.on('error', () => {});
    for (let turn = 0; turn < turns; turn++) await setImmediate();
    disconnect(connection);
  }
  // A closed connection that was waiting for its next attempt stays in that state.
  const isOver = ({ status }: { status: string }) => status === 'end' || status === 'reconnecting';
  await expect.poll(() => connections.every(isOver)).toBe(true);
});
