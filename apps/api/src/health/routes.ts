import { Refusal } from '@chairside/domain';
import { unavailabilityOf } from '@chairside/mongodb';
import { z } from 'zod';
import type { App, Dependencies } from '../context.ts';

const config = { access: 'public' } as const;
const tags = ['Health'];
const statusOf = <S extends z.ZodType>(schema: S) =>
  z.object({
    status: schema.meta({
      description: '`degraded`: without Redis; all is answered, events take longer.',
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
        summary: 'Whether the process runs',
        description: '200 as long as it does.',
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
        description: '503 without the database.',
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
