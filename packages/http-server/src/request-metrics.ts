import type { FastifyInstance } from 'fastify';

export type RequestMetrics = {
  /**
   * @param seconds from the arrival of the request to the end of the response
   * @param computedSeconds what the process has computed for it
   */
  responded(request: {
    method: string;
    route: string;
    statusCode: number;
    seconds: number;
    computedSeconds: number;
  }): void;
};

/** Counts and times each complete response by its route. A path may contain patient data, so it is not a label. */
export const requestMetrics = (app: FastifyInstance, { responded }: RequestMetrics): void => {
  app.addHook('onResponse', async ({ method, routeOptions, work }, { statusCode, elapsedTime }) => {
    const route = routeOptions.url ?? 'none';
    const computedSeconds = work.ms / 1000;
    responded({ method, route, statusCode, seconds: elapsedTime / 1000, computedSeconds });
  });
};
