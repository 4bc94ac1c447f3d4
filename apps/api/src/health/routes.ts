import { Refusal } from '@chairside/domain';
import { z } from 'zod';
import type { App, Dependencies } from '../app.ts';

const config = { access: 'public' } as const;

export const healthRoutes = (app: App, { store, queue }: Dependencies): void => {
  app.get(
    '/health/live',
    { config, schema: { response: { 200: z.object({ status: z.literal('ok') }) } } },
    async () => ({
      status: 'ok' as const,
    }),
  );

  // Without Redis every caller is still answered, and the sweep delivers: degraded, but ready.
  app.get(
    '/health/ready',
    { config, schema: { response: { 200: z.object({ status: z.enum(['ok', 'degraded']) }) } } },
    async () => {
      try {
        await store.ping();
      } catch (cause) {
        throw new Refusal('ServiceUnavailable', 'The database cannot be reached.', { retryAfter: 2, cause });
      }
      return { status: queue.isReady() ? ('ok' as const) : ('degraded' as const) };
    },
  );
};
