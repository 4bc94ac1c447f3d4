import { randomUUID } from 'node:crypto';
import type { UnpublishedEvent } from '@chairside/domain';
import { expect } from 'vitest';
import { openEventConsumer, openEventProducer, openRateLimiter, type RedisServer } from '../src/index.ts';

/** Without `inAdvance`, so that no process reserves calls. */
const LIMIT = { calls: 99, seconds: 600 };

/** The connections of the api and the dispatcher: a producer, two limiters, and a consumer that records its events. */
export const openQueueUser = (server: RedisServer) => {
  const notices: string[] = [];
  const errors: Error[] = [];
  const options = (who: string) => ({
    ...server,
    prefix,
    onUnavailable: (error: Error) => {
      notices.push(`${who} away`);
      errors.push(error);
    },
    onAvailable: () => void notices.push(`${who} back`),
  });
  const prefix = `{test-${randomUUID()}}`;
  const arrivals: string[] = [];
  const producer = openEventProducer(options('producer'));
  const consumer = openEventConsumer(
    options('consumer'),
    async ({ eventId }: UnpublishedEvent) => void arrivals.push(eventId),
    (error) => errors.push(error),
  );
  const limiters = [openRateLimiter(options('limiter')), openRateLimiter(options('other limiter'))] as const;

  const publish = (eventId: string) =>
    producer.publish({ organizationId: 'o', kind: 'patient', recordId: 'r', eventId, clinicIds: ['c'] });

  return {
    prefix,
    /** The notifications so far, such as `producer away` and `producer back`. */
    notices,
    errors,
    producer,
    /** Publishes events until all have arrived. Events that are missing are published again. */
    async untilDelivered(count = 50) {
      const wanted = Array.from({ length: count }, () => randomUUID());
      const arrived = () => {
        const missing = wanted.filter((id) => !arrivals.includes(id));
        for (const id of missing) publish(id);
        return missing.length;
      };
      await expect.poll(arrived, { interval: 200 }).toBe(0);
    },
    /** Resolves when both limiters count the same calls. */
    async untilLimitedTogether() {
      const [one, other] = limiters;
      const together = async () => {
        const key = randomUUID();
        await one.take(key, LIMIT);
        await other.take(key, LIMIT);
        return (await one.look(key, LIMIT)).remaining;
      };
      await expect.poll(together).toBe(LIMIT.calls - 2);
    },
    /** Publishes events and uses the limiters. These calls must not wait for a Redis that is unreachable. */
    async useAll() {
      for (let index = 0; index < 1000; index++) publish(randomUUID());
      const key = randomUUID();
      const taken = await limiters[0].take(key, LIMIT);
      expect(taken.isAllowed).toBe(true);
      expect((await limiters[1].look(key, LIMIT)).isAllowed).toBe(true);
    },
    async close() {
      await Promise.all([producer.close(), consumer.close(), ...limiters.map((limiter) => limiter.close())]);
    },
  };
};
