import { Refusal } from '@chairside/domain';
import { unavailabilityOf } from '@chairside/mongodb';
import { z } from 'zod';
import type { App, Dependencies } from '../context.ts';

const config = { access: 'public' } as const;
const tags = ['Health'];
const statusOf = <S extends z.ZodType>(schema: S) =>
  z.object({
    status: schema.meta({
      description: '`degraded`: Redis is unreachable. All requests are served, events take longer.',
      examples: ['ok'],
    }),
  });

export const healthRoutes = (app: App, { store, queue }: Dependencies): void => {
  app.get(
    '/health/live',
    {
      config,
      schema: {
        tags,
        operationId: 'getLiveness',
        summary: 'Check that the process runs',
        description: 'Returns 200 while the process runs.',
        response: { 200: statusOf(z.literal('ok')) },
      },
    },
    async () => ({
      status: 'ok' as const,
    }),
  );

  // Without Redis every caller is still answered, and the sweep delivers: degraded, but ready.
  app.get(
    '/health/ready',
    {
      config,
      schema: {
        tags,
        operationId: 'getReadiness',
        summary: 'Whether the process can work',
        description: 'Returns 503 while the database is unreachable.',
        refusals: [503],
        response: { 200: statusOf(z.enum(['ok', 'degraded'])) },
      },
    },
    async () => {
      try {
        await store.ping();
      } catch (cause) {
        // Another process would not help: the database has too much to do.
        if (unavailabilityOf(cause) !== 'overloaded')
          throw new Refusal('ServiceUnavailable', 'The database cannot be reached.', {
            retryAfter: 2,
            cause,
          });
      }
      return { status: queue.isReady() ? ('ok' as const) : ('degraded' as const) };
    },
  );
};
