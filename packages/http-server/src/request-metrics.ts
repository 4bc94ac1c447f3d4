import type { FastifyInstance } from 'fastify';

export type RequestMetrics = {
  /** @param seconds from the arrival of the request to the end of the response */
  responded(request: { method: string; route: string; statusCode: number; seconds: number }): void;
};

/** Counts and times each complete response by its route. A path may contain patient data, so it is not a label. */
export const requestMetrics = (app: FastifyInstance, { responded }: RequestMetrics): void => {
  app.addHook('onResponse', async ({ method, routeOptions }, { statusCode, elapsedTime }) => {
    responded({ method, route: routeOptions.url ?? 'none', statusCode, seconds: elapsedTime / 1000 });
  });
};
