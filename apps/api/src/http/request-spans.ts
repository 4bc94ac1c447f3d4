import type { EventProducer } from '@chairside/queue';
import type { Span, Tracer } from '@chairside/runtime';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Starts a span for each request, named by its route. Paths and queries are not in it, because they may contain
 * patient data. The `traceparent` of a caller is ignored, because callers must not decide what is traced.
 */
export const requestSpans = (app: FastifyInstance, tracer: Tracer): void => {
  const spans = new WeakMap<FastifyRequest, Span>();

  app.addHook('onRequest', (request, _reply, done) => {
    const { method, routeOptions, id } = request;
    const route = routeOptions.url;
    const span = tracer.start(route === undefined ? method : `${method} ${route}`, 'server', {
      'http.request.method': method,
      'http.route': route,
      'chairside.request_id': id,
    });
    spans.set(request, span);
    span.within(done);
  });

  // The body arrives from the socket, outside of the context that onRequest started.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span === undefined) done();
    else span.within(done);
  });

  app.addHook('onResponse', async (request, { statusCode }) => {
    const span = spans.get(request);
    span?.set({
      'http.response.status_code': statusCode,
      'chairside.organization_id': request.principal?.organizationId,
    });
    span?.end(statusCode >= 500 ? String(statusCode) : undefined);
  });
};

/**
 * The queue, with a child span for each event. The span contains the event id, which identifies the event's
 * deliveries.
 */
export const withSpans = (queue: EventProducer, tracer: Tracer): EventProducer => ({
  ...queue,
  publish(event) {
    const span = tracer.startPart('send events', 'producer', {
      'messaging.system': 'bullmq',
      'messaging.destination.name': 'events',
      'messaging.operation.type': 'send',
      'chairside.event_id': event.eventId,
    });
    queue.publish(event);
    span?.end();
  },
});
