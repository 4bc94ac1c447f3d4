import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { UnpublishedEvent } from '@chairside/domain';
import { testEngines } from '@chairside/test-support';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { openEventConsumer, openEventProducer, type QueueOptions } from './events.ts';

const NOBODY_LISTENS = 'redis://127.0.0.1:1';
const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((each) => each.close()));
});

const optionsFor = (url = testEngines().redisUrl) => {
  const unreachable: Error[] = [];
  const options: QueueOptions = {
    url,
    prefix: `{test-${randomUUID()}}`,
    onUnavailable: (error) => unreachable.push(error),
    onAvailable: () => {},
  };
  return { options, unreachable };
};

const eventOf = (eventId: string): UnpublishedEvent => ({
  organizationId: 'o',
  kind: 'patient',
  recordId: `record-${eventId}`,
  eventId,
  clinicIds: ['c'],
});

/** A consumer that records the received events and the refused jobs. */
const consume = (options: QueueOptions) => {
  const events: UnpublishedEvent[] = [];
  const failures: Error[] = [];
  const consumer = openEventConsumer(
    options,
    async (event) => void events.push(event),
    (error) => failures.push(error),
  );
  closing.push(consumer);
  return { events, failures };
};

test('a published event arrives and leaves nothing in Redis', async () => {
  const { options } = optionsFor();
  const producer = openEventProducer(options);
  const redis = new Redis(options.url);
  closing.push(producer, { close: async () => redis.disconnect() });
  await expect.poll(() => producer.isReady()).toBe(true);

  const { events } = consume(options);
  for (let round = 1; round <= 2; round++) {
    for (let index = 0; index < 300; index++) producer.publish(eventOf(`event-${index}`));
    await expect.poll(() => events.length).toBe(round * 300);
    expect(events).toContainEqual(eventOf('event-299'));
    await expect.poll(() => redis.keys(`${options.prefix}:events:[0-9]*`)).toEqual([]);
  }
  expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(300);
});

test('reports a job of an unknown version as failed', async () => {
  const { options } = optionsFor();
  const redis = new Redis(options.url, { maxRetriesPerRequest: null });
  const queue = new Queue('events', { connection: redis, prefix: options.prefix });
  closing.push({ close: () => queue.close().then(() => redis.disconnect()) });
  const { events, failures } = consume(options);
  await queue.add('events', { version: 99, events: [eventOf('new')] });
  await expect.poll(() => failures.map(({ message }) => message).join()).toContain('version');
  expect(events).toEqual([]);
});

test('while Redis is unreachable, publishing returns at once, the outage is reported once, and closing does not wait', async () => {
  const { options, unreachable } = optionsFor(NOBODY_LISTENS);
  const producer = openEventProducer(options);
  for (let index = 0; index < 1000; index++) producer.publish(eventOf(`event-${index}`));
  await expect.poll(() => unreachable.length).toBe(1);
  expect(producer.isReady()).toBe(false);
  const consumer = openEventConsumer(
    options,
    async () => {},
    () => {},
  );
  await Promise.all([producer.close(), consumer.close()]);
});

/** A proxy in front of Redis that can hold back what its clients send, as a server that hangs does. */
const openHangingRedis = async (url: string) => {
  const { hostname, port } = new URL(url);
  const clients = new Map<Socket, Socket>();
  const server = createServer((client) => {
    const redis = connect(Number(port), hostname);
    for (const socket of [client, redis]) socket.on('error', () => {});
    client.pipe(redis).pipe(client);
    clients.set(client, redis);
  });
  closing.push({
    async close() {
      for (const client of clients.keys()) client.destroy();
      server.close();
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hang() {
      for (const client of clients.keys()) client.unpipe().pause();
    },
    goOn() {
      for (const [client, redis] of clients) client.pipe(redis);
    },
  };
};

test('while Redis hangs, the producer keeps a limited number of events', async () => {
  const { options } = optionsFor();
  const redis = await openHangingRedis(options.url);
  const producer = openEventProducer({ ...options, url: redis.url });
  closing.push(producer);
  await expect.poll(() => producer.isReady()).toBe(true);
  redis.hang();
  for (let index = 0; index < 20_000; index++) producer.publish(eventOf(`event-${index}`));
  redis.goOn();
  const { events } = consume(options);
  await expect
    .poll(() => {
      producer.publish(eventOf('last'));
      return events.some(({ eventId }) => eventId === 'last');
    })
    .toBe(true);
  expect(events.length).toBeLessThan(5000);
});

test('connections to a server that has vanished are replaced within seconds', async () => {
  const { options } = optionsFor();
  const redis = await openHangingRedis(options.url);
  const user = { ...options, url: redis.url };
  const producer = openEventProducer(user);
  closing.push(producer);
  const { events } = consume(user);
  const untilArrived = (eventId: string) =>
    expect
      .poll(
        () => {
          producer.publish(eventOf(eventId));
          return events.some((event) => event.eventId === eventId);
        },
        { interval: 200 },
      )
      .toBe(true);
  await untilArrived('before');
  // New connections reach another server.
  redis.hang();
  await untilArrived('after');
});

test('while no dispatcher takes jobs, their number is limited', async () => {
  const { options } = optionsFor();
  const producer = openEventProducer(options);
  const redis = new Redis(options.url);
  closing.push(producer, { close: async () => redis.disconnect() });
  await expect.poll(() => producer.isReady()).toBe(true);
  const waiting = `${options.prefix}:events:wait`;
  const add = vi.spyOn(Queue.prototype, 'add');
  onTestFinished(() => add.mockRestore());
  /** Publishes an event, and returns how many jobs the producer adds to the queue for it. */
  const publishOne = async () => {
    add.mockClear();
    producer.publish(eventOf('event'));
    await Promise.all([new Promise(setImmediate), ...add.mock.results.map(({ value }) => value)]);
    return add.mock.calls.length;
  };
  expect(await publishOne()).toBe(1);
  await expect.poll(() => redis.llen(waiting)).toBe(1);

  await redis.rpush(waiting, ...Array.from({ length: 100_000 }, (_, index) => `job-${index}`));
  await expect.poll(publishOne).toBe(0);
  expect(producer.isReady()).toBe(true);
  await redis.del(waiting);
  await expect.poll(publishOne).toBe(1);
});
