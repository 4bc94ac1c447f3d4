import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../metrics.ts';

/** Counts and times every response by its route. A path may contain patient data, so it is not a label. */
export const requestMetrics = (app: FastifyInstance, { responded }: Pick<Metrics, 'responded'>): void => {
  app.addHook('onResponse', async ({ method, routeOptions }, { statusCode, elapsedTime }) => {
    responded({ method, route: routeOptions.url ?? 'none', statusCode, seconds: elapsedTime / 1000 });
  });
};
