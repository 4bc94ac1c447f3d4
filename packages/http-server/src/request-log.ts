import { countingWork, type Work } from '@chairside/concurrency';
import { clock } from '@chairside/domain';
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

declare module 'fastify' {
  interface FastifyRequest {
    /** What the process has computed for the request so far. */
    work: Work;
  }
}

/** The time as in the header `Date` (RFC 9110, 5.6.7), computed once a second. */
const httpDate = (() => {
  let second = 0;
  let text = '';
  return (): string => {
    const now = clock.now();
    const nowSecond = Math.floor(now.getTime() / 1000);
    if (nowSecond !== second) [second, text] = [nowSecond, now.toUTCString()];
    return text;
  };
})();

/**
 * Logs one line for each request, and sets `X-Request-Id` and `Date`. The message is `request aborted` if the connection closed
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
    // Node.js would send the time of the machine, and readers of lists continue from this time.
    reply.header('X-Request-Id', request.id).header('Date', httpDate());
  });

  // `null` reserves the property, as Fastify requires for an object.
  app.decorateRequest('work', null as unknown as Work);
  app.addHook('onRequest', (request, _reply, done) => {
    request.work = { ms: 0 };
    countingWork(request.work, done);
  });
  // After the body has arrived, the hooks run in the course of an event of its connection.
  app.addHook('preValidation', (request, _reply, done) => countingWork(request.work, done));

  const log = (request: FastifyRequest, reply: FastifyReply, message: string): void => {
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? null,
        queryKeys: queryKeysOf(request),
        statusCode: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime * 10) / 10,
        computedMs: Math.round(request.work.ms * 10) / 10,
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
