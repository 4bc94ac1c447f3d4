import { randomUUID } from 'node:crypto';
import type { EventJob } from '@chairside/domain';
import { testEngines } from '@chairside/test-practice';
import { Redis } from 'ioredis';
import { afterEach, expect, test } from 'vitest';
import { type EventConsumer, openEventConsumer, openEventProducer, type QueueOptions } from './events.ts';

const NOBODY_LISTENS = 'redis://127.0.0.1:1';
const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((each) => each.close()));
});

const optionsFor = (url = testEngines().redisUrl) => {
  const away: Error[] = [];
  const options: QueueOptions = {
    url,
    prefix: `{test-${randomUUID()}}`,
    onAway: (error) => away.push(error),
    onBack: () => {},
  };
  return { options, away };
};

const jobOf = (eventId: string): EventJob => ({
  version: 1,
  organizationId: 'o',
  kind: 'patient',
  recordId: `record-${eventId}`,
  eventId,
});

/** A consumer whose jobs can be awaited. */
const consume = (options: QueueOptions, count: number) => {
  const jobs: EventJob[] = [];
  let consumer: EventConsumer | undefined;
  const all = new Promise<EventJob[]>((resolve, reject) => {
    consumer = openEventConsumer(
      options,
      async (job) => {
        jobs.push(job);
        if (jobs.length === count) resolve(jobs);
      },
      reject,
    );
    closing.push(consumer);
  });
  return all;
};

test('what is published arrives, and leaves nothing behind that would swallow it the next time', async () => {
  const { options } = optionsFor();
  const producer = openEventProducer(options);
  closing.push(producer);
  const redis = new Redis(options.url);
  closing.push({ close: async () => redis.disconnect() });
  await expect.poll(() => producer.isReady()).toBe(true);

  const jobs = Array.from({ length: 300 }, (_, index) => jobOf(`event-${index}`));
  const arriving = consume(options, 600);
  for (const job of jobs) producer.publish(job);
  await expect.poll(() => redis.keys(`${options.prefix}:events:event-*`)).toEqual([]);
  for (const job of jobs) producer.publish(job);
  const arrived = await arriving;
  expect(new Set(arrived.map(({ eventId }) => eventId)).size).toBe(300);
});

test('a job of a version that is not known fails and is told', async () => {
  const { options } = optionsFor();
  const producer = openEventProducer(options);
  closing.push(producer);
  await expect.poll(() => producer.isReady()).toBe(true);
  const arriving = consume(options, 1);
  producer.publish({ ...jobOf('event'), version: 99 as 1 });
  await expect(arriving).rejects.toThrow('version');
});

test('with Redis away publishing costs nothing, that is told once, and closing does not wait', async () => {
  const { options, away } = optionsFor(NOBODY_LISTENS);
  const producer = openEventProducer(options);
  for (let index = 0; index < 1000; index++) producer.publish(jobOf(`event-${index}`));
  await expect.poll(() => away.length).toBe(1);
  expect(producer.isReady()).toBe(false);
  const consumer = openEventConsumer(
    options,
    async () => {},
    () => {},
  );
  await Promise.all([producer.close(), consumer.close()]);
});
