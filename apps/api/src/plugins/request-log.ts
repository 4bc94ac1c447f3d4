import type { FastifyInstance } from 'fastify';

/**
 * One line for each request, and its id in `X-Request-Id`. The line has the route and the names of the query's keys,
 * never a path or a value: those may be patient data.
 */
export const requestLog = (app: FastifyInstance): void => {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('X-Request-Id', request.id);
  });

  app.addHook('onResponse', async (request, reply) => {
    const { principal } = request;
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? null,
        queryKeys: Object.keys(request.query as object),
        statusCode: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime * 10) / 10,
        ...(principal && {
          organizationId: principal.organizationId,
          principal: `${principal.kind}:${principal.id}`,
        }),
      },
      'request',
    );
  });
};
