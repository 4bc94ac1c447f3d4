import type { Span, SpanAttributes, Tracer } from '@chairside/telemetry';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { untilClosed } from './closed-response.ts';

/**
 * Starts a span for each request, named by its method and route. The log lines of the request contain its trace id. The span contains no path and no query, because they
 * may contain patient data. The caller's `traceparent` is ignored, because callers must not decide what is traced.
 *
 * @param more further attributes, read when the response has been sent or its connection is closed
 */
export const requestSpans = (
  app: FastifyInstance,
  tracer: Tracer,
  more: (request: FastifyRequest) => SpanAttributes,
): void => {
  const spans = new WeakMap<FastifyRequest, Span>();

  app.addHook('onRequest', (request, reply, done) => {
    const { method, routeOptions, id } = request;
    const route = routeOptions.url;
    const span = tracer.start(route === undefined ? method : `${method} ${route}`, 'server', {
      'http.request.method': method,
      'http.route': route,
      'chairside.request_id': id,
    });
    spans.set(request, span);
    // The hook onResponse does not run for a response whose connection was closed.
    untilClosed(reply.raw).then(() => {
      const { headersSent, statusCode, writableFinished } = reply.raw;
      span.set({ ...(headersSent && { 'http.response.status_code': statusCode }), ...more(request) });
      if (!writableFinished) span.end('aborted');
      else span.end(statusCode >= 500 ? String(statusCode) : undefined);
    });
    request.log = request.log.child({ traceId: span.traceId });
    reply.log = request.log;
    span.within(done);
  });

  // The body arrives from the socket, outside of the context that onRequest started.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span === undefined) done();
    else span.within(done);
  });
};
