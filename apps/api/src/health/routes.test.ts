import Fastify from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { expect, test } from 'vitest';
import type { Dependencies } from '../context.ts';
import { healthRoutes } from './routes.ts';

test('concurrent requests for the readiness share one ping of the database', async () => {
  const responded = Promise.withResolvers<void>();
  let pings = 0;
  const store = {
    ping() {
      pings++;
      return responded.promise;
    },
  };
  const app = Fastify().withTypeProvider<ZodTypeProvider>();
  app.setSerializerCompiler(() => JSON.stringify);
  const shown: unknown[] = [];
  const metrics = { notReady: (reason: unknown) => shown.push(reason) };
  healthRoutes(app, { store, metrics, queue: { isReady: () => true } } as unknown as Dependencies);
  const asking = Array.from({ length: 100 }, () => app.inject('/health/ready'));
  await expect.poll(() => pings).toBeGreaterThan(0);
  await app.inject('/health/live');
  expect(pings).toBe(1);
  responded.resolve();
  for (const { statusCode } of await Promise.all(asking)) expect(statusCode).toBe(200);

  await app.inject('/health/ready');
  expect(pings).toBe(2);

  store.ping = () => Promise.reject(new Error('closed'));
  await app.checkReadiness();
  expect(shown).toEqual([undefined, undefined, 'database_unreachable']);
});
