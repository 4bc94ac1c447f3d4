import { randomUUID } from 'node:crypto';
import type { EventJob } from '@chairside/domain';
import { testEngines } from '@chairside/test-practice';
import { Redis } from 'ioredis';
import { afterEach, expect, test } from 'vitest';
import { openEventConsumer, openEventProducer, type QueueOptions } from './events.ts';

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

/** A consumer that keeps what it was handed, and what it refused. */
const consume = (options: QueueOptions) => {
  const jobs: EventJob[] = [];
  const failures: Error[] = [];
  const consumer = openEventConsumer(
    options,
    async (job) => void jobs.push(job),
    (error) => failures.push(error),
  );
  closing.push(consumer);
  return { jobs, failures };
};

test('what is published arrives, and leaves nothing behind that would swallow it the next time', async () => {
  const { options } = optionsFor();
  const producer = openEventProducer(options);
  const redis = new Redis(options.url);
  closing.push(producer, { close: async () => redis.disconnect() });
  await expect.poll(() => producer.isReady()).toBe(true);

  const { jobs } = consume(options);
  for (let round = 1; round <= 2; round++) {
    for (let index = 0; index < 300; index++) producer.publish(jobOf(`event-${index}`));
    await expect.poll(() => jobs.length, { timeout: 20_000 }).toBe(round * 300);
    await expect.poll(() => redis.keys(`${options.prefix}:events:event-*`)).toEqual([]);
  }
  expect(new Set(jobs.map(({ eventId }) => eventId)).size).toBe(300);
});

test('a job of a version that is not known fails and is told', async () => {
  const { options } = optionsFor();
  const producer = openEventProducer(options);
  closing.push(producer);
  await expect.poll(() => producer.isReady()).toBe(true);
  const { jobs, failures } = consume(options);
  producer.publish({ ...jobOf('event'), version: 99 as 1 });
  await expect.poll(() => failures.map(({ message }) => message).join()).toContain('version');
  expect(jobs).toEqual([]);
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
