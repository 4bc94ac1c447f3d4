import type { EventProducer } from '@chairside/queue';
import type { Tracer } from '@chairside/telemetry';

/**
 * Wraps the queue, and creates a child span for each published event. The span contains the event id, which identifies
 * the event's deliveries.
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
