import { serviceUnavailable, sharedCheck } from '@chairside/http-server';
import { unavailabilityOf } from '@chairside/mongodb';
import { BUILD } from '@chairside/startup';
import { z } from 'zod';
import type { App, Dependencies } from '../context.ts';

const config = { access: 'public' } as const;
const tags = ['Health'];
const statusOf = <S extends z.ZodType>(schema: S) =>
  z.object({
    status: schema.meta({
      description:
        '`degraded`: Redis is unreachable or refuses to store data. The api serves all requests, but webhooks arrive some seconds later.',
      examples: ['ok'],
    }),
  });

export const healthRoutes = (app: App, { store, queue, metrics }: Dependencies): void => {
  app.get(
    '/health/live',
    {
      config,
      schema: {
        tags,
        operationId: 'getLiveness',
        summary: 'Check that the process runs',
        description: 'Returns 200 while the process runs.',
        response: {
          200: statusOf(z.literal('ok')).extend({
            version: z.string().meta({ description: 'The version of the service.', examples: ['1.4.0'] }),
            commit: z.string().meta({
              description:
                'The commit that the service was built from; `source` if it runs from its sources.',
              examples: ['5f1c2c0e8f0f6c9d9e1d3b0a7c4b2a1908f7e6d5'],
            }),
            builtTime: z.string().meta({
              description: 'When the service was built; `source` if it runs from its sources.',
              examples: ['2030-01-31T00:00:00.000Z'],
            }),
          }),
        },
      },
    },
    async () => ({ status: 'ok' as const, ...BUILD }),
  );

  /** The reason why requests cannot be served; undefined if there is none. */
  const check = sharedCheck(async () => {
    // An overloaded database is overloaded for every process, so moving the traffic to another process would not help.
    const cause = await store.ping().then(
      () => undefined,
      (error: unknown) => (unavailabilityOf(error) === 'overloaded' ? undefined : error),
    );
    metrics.notReady(cause === undefined ? undefined : 'database_unreachable');
    return cause;
  });
  app.decorate('checkReadiness', async () => void (await check()));
  // Without Redis the api still serves all requests, and the sweep delivers the events. So the api is
  // degraded, but ready.
  app.get(
    '/health/ready',
    {
      config,
      schema: {
        tags,
        operationId: 'getReadiness',
        summary: 'Check that the process is ready',
        description:
          'Returns 503 while the database is unreachable. With the header `X-Proxy-Secret`, returns 403 if the secret is wrong: the dashboard checks its configuration in this way.',
        refusals: [403, 503],
        response: { 200: statusOf(z.enum(['ok', 'degraded'])) },
      },
    },
    async () => {
      const cause = await check();
      if (cause !== undefined)
        throw serviceUnavailable('The database is unreachable. Try again later.', cause);
      return { status: queue.isReady() ? ('ok' as const) : ('degraded' as const) };
    },
  );
};
