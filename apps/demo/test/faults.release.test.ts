import { type Engine, startRedis } from '@chairside/local-services';
import { basic, type Post, startWholeService, type WholeService } from '@chairside/test-support';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, test } from 'vitest';

let redis: Engine;
let service: WholeService;
beforeEach(async () => {
  // These tests start their own Redis, because they kill the Redis.
  redis = await startRedis({ ephemeral: true, environment: { ...process.env, REDIS_URL: '' } });
});
afterEach(async () => {
  await service.close();
  await redis.stop();
});

const createPatients = async (count: number): Promise<string[]> => {
  const [clinicId] = service.practice.clinicIds;
  const responses = await Promise.all(
    Array.from({ length: count }, () => service.call('POST', '/api/patients', { clinicId })),
  );
  expect(responses.map(({ status }) => status)).toEqual(Array(count).fill(200));
  return responses.map(({ json }) => json._id);
};

const deliveryIdOf = ({ headers }: Post): string => String(headers['x-service-delivery-id']);

/** Expects that every event of these records has arrived, no delivery twice, and that no work is left. */
const expectAttemptedOnce = async (recordIds: readonly string[]): Promise<void> => {
  const { receiver, database } = service;
  await receiver.until((posts) => recordIds.every((id) => posts.some(({ json }) => json.data._id === id)));
  const open = () =>
    database.collection('deliveries').countDocuments({ status: { $in: ['queued', 'sending'] } });
  await expect.poll(open).toBe(0);
  const unpublished = () => database.collection('patients').countDocuments({ outboxAt: { $exists: true } });
  await expect.poll(unpublished).toBe(0);
  const ids = receiver.posts.map(deliveryIdOf);
  expect(ids).toHaveLength(new Set(ids).size);
  expect(ids).toHaveLength(recordIds.length);
};

test('Redis stops, patients are written, Redis starts: every event is attempted once', async () => {
  service = await startWholeService(redis.url);
  const before = await createPatients(5);
  await redis.kill();
  const without = await createPatients(20);
  await redis.resume();
  const after = await createPatients(5);
  await expectAttemptedOnce([...before, ...without, ...after]);
});

test('Redis stays unreachable: a write gets its response within a second and is delivered', async () => {
  service = await startWholeService(redis.url);
  await redis.kill();
  const [clinicId] = service.practice.clinicIds;
  const startedAt = performance.now();
  const { status, json } = await service.call('POST', '/api/patients', { clinicId });
  expect(status).toBe(200);
  expect(performance.now() - startedAt).toBeLessThan(1000);
  await expectAttemptedOnce([json._id]);
});

test('the api and the dispatcher start while Redis is unreachable', async () => {
  await redis.kill();
  service = await startWholeService(redis.url);
  expect(await service.call('GET', '/health/ready')).toMatchObject({
    status: 200,
    json: { status: 'degraded' },
  });
  await expectAttemptedOnce(await createPatients(3));
});

test('kill -9 of the api right after its response: the event is attempted once', async () => {
  service = await startWholeService(redis.url);
  const ids: string[] = [];
  for (let round = 0; round < 3; round++) {
    ids.push(...(await createPatients(1)));
    await service.api.end('SIGKILL');
    await service.startApi();
  }
  await expectAttemptedOnce(ids);
});

test('FLUSHALL between write and delivery: every event is attempted once', async () => {
  service = await startWholeService(redis.url, { dispatcher: false });
  const ids = await createPatients(10);
  const client = new Redis(redis.url);
  await expect.poll(() => client.dbsize()).toBeGreaterThan(0);
  await client.flushall();
  client.disconnect();
  await service.startDispatcher();
  await expectAttemptedOnce(ids);
});

test('kill -9 of the dispatcher during a POST: no second POST, and the delivery is `interrupted`', async () => {
  service = await startWholeService(redis.url);
  const { receiver, database } = service;
  receiver.respond = () => {};
  const [id] = await createPatients(1);
  await receiver.until((posts) => posts.length === 1);
  await service.dispatcher.end('SIGKILL');
  receiver.respond = (_post, response) => void response.end();
  await service.startDispatcher();

  // The sweep interrupts a delivery half a minute after its claim.
  const deliveries = database.collection('deliveries');
  await deliveries.updateMany({ status: 'sending' }, { $set: { claimedAt: new Date(Date.now() - 31_000) } });
  await service.dispatcher.logged(({ msg, interrupted }) => msg === 'sweep' && interrupted === 1);
  expect(await deliveries.findOne()).toMatchObject({ status: 'interrupted', kind: 'event' });

  const others = await createPatients(5);
  await receiver.until((posts) => others.every((other) => posts.some(({ json }) => json.data._id === other)));
  expect(receiver.posts.filter(({ json }) => json.data._id === id)).toHaveLength(1);
});

test('kill -9 of the dispatcher with a backlog: the next one attempts the queued deliveries once', async () => {
  service = await startWholeService(redis.url);
  const { receiver, database } = service;
  receiver.respond = () => {};
  const ids = await createPatients(60);
  // A receiver that has not responded yet gets four concurrent attempts.
  await receiver.until((posts) => posts.length === 4);
  await service.dispatcher.end('SIGKILL');
  receiver.respond = (_post, response) => void response.end();
  // A lane counts as dead after `aliveUntil`.
  await database.collection('lanes').updateMany({}, { $set: { aliveUntil: new Date(0) } });
  await service.startDispatcher();
  await receiver.until((posts) => new Set(posts.map(({ json }) => json.data._id)).size === ids.length);
  await expect.poll(() => database.collection('deliveries').countDocuments({ status: 'queued' })).toBe(0);
  const seen = receiver.posts.map(deliveryIdOf);
  expect(seen).toHaveLength(new Set(seen).size);
});

test('twenty failures disable a subscription, later deliveries are skipped, and an operator enables it again', async () => {
  service = await startWholeService(redis.url);
  const { receiver, subscription, practice, database, dispatcher } = service;
  const path = `/api/webhooksubscriptions/${subscription._id}`;
  const asAdministrator = `Token ${practice.administrator.token}`;
  receiver.respond = (_post, response) => void response.writeHead(500).end();
  await createPatients(19);
  await dispatcher.logged(() => dispatcher.lines.filter(({ outcome }) => outcome === 'failed').length === 19);
  expect((await service.call('GET', path, undefined, asAdministrator)).json.active).toBe(true);

  await createPatients(1);
  await dispatcher.logged(({ msg }) => msg === 'subscription disabled');
  const disabled = await service.call('GET', path, undefined, asAdministrator);
  expect(disabled.json).toMatchObject({
    active: false,
    consecutiveFailures: 20,
    disabledTime: expect.any(String),
    disabledReason: expect.stringContaining('error status'),
    lastStatusCode: 500,
  });

  const [skippedPatient] = await createPatients(1);
  const deliveries = database.collection('deliveries');
  await expect.poll(() => deliveries.countDocuments({ status: 'skipped' })).toBe(1);
  expect(receiver.posts.some(({ json }) => json.data._id === skippedPatient)).toBe(false);
  expect(receiver.posts).toHaveLength(20);

  const byKey = await service.call('PUT', path, { active: true }, basic(practice.apiKey));
  expect(byKey.status).toBe(403);
  const enabled = await service.call('PUT', path, { active: true }, asAdministrator);
  expect(enabled.json).toMatchObject({ active: true, consecutiveFailures: 0 });
  receiver.respond = (_post, response) => void response.end();
  const [next] = await createPatients(1);
  await receiver.until((posts) => posts.some(({ json }) => json.data._id === next));
});

test('a success between failures ends the streak', async () => {
  service = await startWholeService(redis.url);
  const { receiver, subscription, practice, dispatcher } = service;
  const outcomes = () => dispatcher.lines.filter(({ msg }) => msg === 'delivery').length;
  receiver.respond = (_post, response) => void response.writeHead(500).end();
  await createPatients(19);
  await dispatcher.logged(() => outcomes() === 19);
  receiver.respond = (_post, response) => void response.end();
  await createPatients(1);
  await dispatcher.logged(() => outcomes() === 20);
  receiver.respond = (_post, response) => void response.writeHead(500).end();
  await createPatients(19);
  await dispatcher.logged(() => outcomes() === 39);
  expect(await practice.store.subscriptions.find(subscription._id)).toMatchObject({
    active: true,
    consecutiveFailures: 19,
  });
});
