import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * The names of the query parameters of a request. A name that the route does not declare is replaced by `unknown`,
 * because it may be patient data.
 */
const queryKeysOf = ({ query, routeOptions }: FastifyRequest): string[] => {
  const { shape = {} } = (routeOptions.schema?.querystring ?? {}) as { shape?: object };
  return [
    ...new Set(Object.keys(query as object).map((key) => (Object.hasOwn(shape, key) ? key : 'unknown'))),
  ];
};

/**
 * Logs one line for each request, and sets `X-Request-Id`. The message is `request aborted` if the connection closed
 * before the end of the response. The line contains the route and the names of the query parameters, but no path and no
 * value, because those may be patient data.
 *
 * @param more further fields of the line
 */
export const requestLog = (
  app: FastifyInstance,
  more: (request: FastifyRequest) => object | undefined = () => undefined,
): void => {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('X-Request-Id', request.id);
  });

  const log = (request: FastifyRequest, reply: FastifyReply, message: string): void => {
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? null,
        queryKeys: queryKeysOf(request),
        statusCode: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime * 10) / 10,
        ...more(request),
      },
      message,
    );
  };
  app.addHook('onResponse', async (request, reply) => log(request, reply, 'request'));
  // The hook onResponse does not run for a response whose connection was closed.
  app.addHook('onRequest', async (request, reply) => {
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) log(request, reply, 'request aborted');
    });
  });
};
