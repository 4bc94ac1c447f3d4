import type { Tracer } from '@chairside/telemetry';
import type { DeliveryReport } from '../delivery/conclude.ts';

/** Runs the fan-out of a group of records within a span. */
export const withinFanOut = async (
  tracer: Tracer | undefined,
  records: number,
  work: () => Promise<number>,
): Promise<number> => {
  if (tracer === undefined) return work();
  const span = tracer.start('process events', 'consumer', {
    'messaging.system': 'bullmq',
    'messaging.destination.name': 'events',
    'messaging.operation.type': 'process',
    'messaging.batch.message_count': records,
  });
  try {
    const events = await span.within(work);
    span.end();
    return events;
  } catch (error) {
    span.end((error as Error).name);
    throw error;
  }
};

/**
 * Creates the span of a delivery that has ended. The span contains no URL and no content of requests or responses.
 *
 * @returns the id of its trace
 */
export const traceDelivery = (tracer: Tracer, { delivery, outcome }: DeliveryReport, now: Date): string => {
  const attempt = outcome.outcome === 'skipped' ? undefined : outcome;
  const startTime = attempt?.attemptTime ?? now;
  const timings = Object.entries(attempt?.timings ?? {});
  const span = tracer.start(
    `deliver ${delivery.event}`,
    'client',
    {
      'chairside.delivery_id': delivery._id,
      'chairside.subscription_id': delivery.subscriptionId,
      'chairside.organization_id': delivery.organizationId,
      'chairside.event_id': delivery.eventId,
      'chairside.event': delivery.event,
      'chairside.request_id': delivery.requestId,
      'chairside.outcome': outcome.outcome,
      'chairside.cause': outcome.outcome === 'succeeded' ? undefined : outcome.cause,
      'http.request.method': attempt && 'POST',
      'http.response.status_code': attempt?.statusCode,
      'network.peer.address': attempt?.address,
      ...Object.fromEntries(timings.map(([phase, time]) => [`chairside.phase.${phase}_ms`, time])),
    },
    startTime,
  );
  const ended = new Date(startTime.getTime() + (attempt?.duration ?? 0));
  span.end(outcome.outcome === 'failed' ? outcome.cause : undefined, ended);
  return span.traceId;
};
