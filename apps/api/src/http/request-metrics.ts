import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../metrics.ts';

/** Counts and times every answer, by its route: a path may hold what must not be told. */
export const requestMetrics = (app: FastifyInstance, { answered }: Pick<Metrics, 'answered'>): void => {
  app.addHook('onResponse', async ({ method, routeOptions }, { statusCode, elapsedTime }) => {
    answered({ method, route: routeOptions.url ?? 'none', statusCode, seconds: elapsedTime / 1000 });
  });
};
