import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { type Engine, startMongodb } from '@chairside/local-services';
import {
  startApi,
  startDispatcher,
  startWholeService,
  testEngines,
  type WholeService,
} from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';

let mongodb: Engine;
let service: WholeService;
beforeAll(async () => {
  // This test starts its own MongoDB, because it kills the MongoDB.
  mongodb = await startMongodb({ ephemeral: true, environment: { ...process.env, MONGODB_URL: '' } });
  service = await startWholeService(testEngines().redisUrl, { mongodbUrl: mongodb.url });
});
afterAll(async () => {
  await service.close();
  await mongodb.stop();
});

/** Pauses all processes of the database. Resolves when they no longer run. */
const pause = async (): Promise<void> => {
  expect(mongodb.pids.length).toBeGreaterThan(0);
  for (const pid of mongodb.pids) process.kill(pid, 'SIGSTOP');
  const stateOf = (pid: number): string =>
    execFileSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' });
  for (const pid of mongodb.pids) await expect.poll(() => stateOf(pid)).toMatch(/^T/);
};
const resume = (): void => {
  for (const pid of mongodb.pids) process.kill(pid, 'SIGCONT');
};

const create = () => service.call('POST', '/api/patients', { clinicId: service.practice.clinicIds[0] });

test('a database outage: callers get 503 and work in flight is completed afterwards', async () => {
  const { receiver, api, dispatcher } = service;
  const held: (() => void)[] = [];
  receiver.respond = (_post, response) => void held.push(() => response.end());
  const before = await create();
  await receiver.until((posts) => posts.length === 1);
  await mongodb.kill();

  const refused = await create();
  expect(refused.status).toBe(503);
  expect(refused.json).toMatchObject({ name: 'ServiceUnavailable', statusCode: 503 });
  expect((await service.call('GET', '/health/ready')).status).toBe(503);

  // The attempt ends while its outcome cannot be stored. The dispatcher keeps the outcome until it can be stored.
  for (const response of held) response();
  receiver.respond = (_post, response) => void response.end();
  await dispatcher.logged(({ msg }) => msg === 'worker retries');
  await mongodb.resume();
  await dispatcher.logged(({ msg, outcome }) => msg === 'delivery' && outcome === 'succeeded');

  await expect.poll(async () => (await service.call('GET', '/health/ready')).status).toBe(200);
  const after = await create();
  expect(after.status).toBe(200);
  await receiver.until((posts) => posts.some(({ json }) => json.data._id === after.json._id));
  const ids = receiver.posts.map(({ json }) => json.data._id);
  expect(ids).toEqual([before.json._id, after.json._id]);
  expect(api.lines.some(({ err }) => err?.message?.includes('patient'))).toBe(false);
});

test('a database that hangs: callers get 503, and succeed when it continues', async () => {
  expect((await create()).status).toBe(200);
  await pause();
  try {
    expect((await create()).status).toBe(503);
  } finally {
    resume();
  }
  await expect.poll(async () => (await create()).status).toBe(200);
});

test('a dispatcher that shuts down while the database hangs logs the unfinished work, and exits', async () => {
  const { dispatcher } = service;
  await pause();
  try {
    expect(await dispatcher.end('SIGTERM')).toBe(1);
  } finally {
    resume();
  }
  const { waitedFor } = await dispatcher.logged(({ msg }) => msg?.startsWith('shutdown timed out'));
  expect(waitedFor.length).toBeGreaterThan(0);
});

test.each([
  ['api', startApi],
  ['dispatcher', startDispatcher],
])(
  'the %s starts before its database: logs one line while it waits, and one when MongoDB is ready',
  async (_name, startService) => {
    const { port } = new URL(mongodb.url.replace('mongodb://', 'http://'));
    let isUp = false;
    const gate = createServer((socket) => {
      socket.on('error', () => {});
      if (!isUp) return socket.destroy();
      const upstream = connect(Number(port), '127.0.0.1');
      upstream.on('error', () => socket.destroy());
      socket.on('close', () => upstream.destroy());
      socket.pipe(upstream).pipe(socket);
    });
    gate.listen(0, '127.0.0.1');
    await once(gate, 'listening');
    const url = mongodb.url.replace(`:${port}`, `:${(gate.address() as AddressInfo).port}`);
    const process = startService({
      MONGODB_URL: url.replace(/\/?$/, '/before_its_database'),
      REDIS_URL: testEngines().redisUrl,
      REDIS_PREFIX: `{before-${_name}}`,
      ENCRYPTION_KEYS: service.encryptionKeys,
    });
    // Wait for several attempts to connect.
    for (let attempts = 0; attempts < 10; attempts++) await once(gate, 'connection');
    isUp = true;
    await process.logged(({ msg }) => msg === 'MongoDB is ready');
    const [waiting, ...more] = process.lines.filter(({ level, msg }) => level >= 40 && !/Redis/.test(msg));
    expect(waiting).toMatchObject({ msg: 'waiting for MongoDB', reason: expect.any(String) });
    expect(Object.keys(waiting ?? {})).not.toContain('err');
    expect(more).toEqual([]);
    await process.end('SIGTERM');
    gate.close();
  },
);
