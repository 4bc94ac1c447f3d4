import { Refusal } from '@chairside/domain';
import type { FastifyInstance } from 'fastify';
import { RETRY_AFTER } from './refusals.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether the process still prepares what its requests need. `runServer` sets it. */
    startup: { isPreparing: boolean };
  }
}

/**
 * Refuses requests with 503 while the process prepares, except `GET /health/live`. So the process listens at once, and
 * nothing ends it or sends it requests before it works.
 */
export const refuseWhilePreparing = (app: FastifyInstance): void => {
  app.decorate('startup', { isPreparing: false });
  app.addHook('onRequest', async ({ routeOptions: { url } }) => {
    if (!app.startup.isPreparing || url === '/health/live') return;
    throw new Refusal('ServiceUnavailable', 'The service is starting. Try again later.', {
      retryAfter: RETRY_AFTER,
    });
  });
};
