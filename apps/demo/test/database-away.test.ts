import { type Engine, startMongodb } from '@chairside/local-services';
import { testEngines } from '@chairside/test-practice';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWholeService, type WholeService } from './whole-service.ts';

let mongodb: Engine;
let service: WholeService;
beforeAll(async () => {
  // One that can be killed, whatever MongoDB the rest of the run uses.
  mongodb = await startMongodb({ ephemeral: true, environment: { ...process.env, MONGODB_URL: '' } });
  service = await startWholeService(testEngines().redisUrl, { mongodbUrl: mongodb.url });
});
afterAll(async () => {
  await service.close();
  await mongodb.stop();
});

const signal = (name: 'SIGSTOP' | 'SIGCONT'): void => {
  for (const pid of mongodb.pids) process.kill(pid, name);
};

const create = () => service.call('POST', '/api/patients', { clinicId: service.practice.clinicIds[0] });

test('the database goes away: callers are told within two seconds, and what was under way comes to its end', async () => {
  const { receiver, api, dispatcher } = service;
  const held: (() => void)[] = [];
  receiver.answer = (_post, response) => void held.push(() => response.end());
  const before = await create();
  await receiver.until((posts) => posts.length === 1);
  await mongodb.kill();

  const begun = performance.now();
  const refused = await create();
  expect(refused.status).toBe(503);
  expect(refused.json).toMatchObject({ name: 'ServiceUnavailable', statusCode: 503 });
  expect(performance.now() - begun).toBeLessThan(2500);
  expect((await service.call('GET', '/health/ready')).status).toBe(503);

  // The attempt ends while its outcome cannot be stored; it is kept until it can.
  for (const answer of held) answer();
  receiver.answer = (_post, response) => void response.end();
  await dispatcher.logged(({ msg }) => msg === 'worker error');
  await mongodb.resume();
  await dispatcher.logged(({ msg, outcome }) => msg === 'delivery' && outcome === 'succeeded');

  await expect
    .poll(async () => (await service.call('GET', '/health/ready')).status, { timeout: 20_000 })
    .toBe(200);
  const after = await create();
  expect(after.status).toBe(200);
  await receiver.until((posts) => posts.some(({ json }) => json.data._id === after.json._id));
  const ids = receiver.posts.map(({ json }) => json.data._id);
  expect(ids).toEqual([before.json._id, after.json._id]);
  expect(api.lines.some(({ err }) => err?.message?.includes('patient'))).toBe(false);
});

test('the database hangs: callers are told within two seconds, and go on when it goes on', async () => {
  expect((await create()).status).toBe(200);
  signal('SIGSTOP');
  const begun = performance.now();
  try {
    expect((await create()).status).toBe(503);
    expect(performance.now() - begun).toBeLessThan(2500);
  } finally {
    signal('SIGCONT');
  }
  await expect.poll(async () => (await create()).status, { timeout: 20_000 }).toBe(200);
});

test('a dispatcher that is to end while the database hangs says what it waits for, and gives up', async () => {
  const { dispatcher } = service;
  signal('SIGSTOP');
  try {
    expect(await dispatcher.end('SIGTERM')).toBe(1);
  } finally {
    signal('SIGCONT');
  }
  const { waitedFor } = await dispatcher.logged(({ msg }) => msg === 'not everything has ended in time');
  expect(waitedFor.length).toBeGreaterThan(0);
});
