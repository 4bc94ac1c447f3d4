import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** The query parameters that the route knows. All others are `unknown`, because their names may be patient data. */
const queryKeysOf = ({ query, routeOptions }: FastifyRequest): string[] => {
  const { shape = {} } = (routeOptions.schema?.querystring ?? {}) as { shape?: object };
  return [
    ...new Set(Object.keys(query as object).map((key) => (Object.hasOwn(shape, key) ? key : 'unknown'))),
  ];
};

/**
 * Logs one line for each request, with the message `request aborted` if the connection closed before the end of the
 * response, and sets `X-Request-Id`. The line has the route and the names of the query parameters, never a path or a
 * value: those may be patient data.
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
