import { deliveryId, type Event, subscribes } from '@chairside/domain';
import type { EveryOrganization, NewDelivery } from '@chairside/mongodb';
import type { Bodies } from './delivery/bodies.ts';
import type { Scheduler } from './scheduler/scheduler.ts';

/** The stores and stages that fan-out uses. */
export type FanOutStage = Pick<EveryOrganization, 'audit' | 'events' | 'receivers'> & {
  outbox: Pick<EveryOrganization['outbox'], 'takeOut'>;
  bodies: Pick<Bodies, 'keep'>;
  scheduler: Pick<Scheduler, 'accept'>;
};

type Candidate = Awaited<ReturnType<FanOutStage['receivers']['inClinics']>>[number];

const deliveriesOf = (event: Event, candidates: readonly Candidate[]): NewDelivery[] => {
  const bodyBytes = Buffer.byteLength(event.body);
  return candidates
    .filter(
      ({ organizationId, clinicId, events, createdTime }) =>
        organizationId === event.organizationId &&
        event.clinicIds.includes(clinicId) &&
        createdTime <= event.time &&
        // A subscription with invalid data must not prevent the delivery to the other subscriptions.
        Array.isArray(events) &&
        subscribes(events, event.event),
    )
    .map(({ _id, organizationId, clinicId, active }) => ({
      _id: deliveryId(event._id, _id),
      organizationId,
      clinicId,
      subscriptionId: _id,
      eventId: event._id,
      event: event.event,
      kind: 'event',
      requestId: event.requestId,
      bodyBytes,
      ...(!active && { skip: 'subscription_disabled' }),
    }));
};

/**
 * Moves unpublished events from their records into the log, and creates one delivery for each event and
 * subscription. Each step may be repeated, because the events are removed from their records last.
 *
 * @param read returns the events, and limits the total of their bytes
 * @returns the number of events
 */
export const fanOut = async (read: () => Promise<Event[]>, stage: FanOutStage): Promise<number> => {
  const [events, clock] = await Promise.all([read(), stage.events.clock()]);
  if (events.length === 0) return 0;
  const clinics = events.flatMap(({ organizationId, clinicIds }) =>
    clinicIds.map((clinicId) => ({ organizationId, clinicId })),
  );
  const [candidates] = await Promise.all([
    stage.receivers.inClinics(clinics),
    stage.events.insert(events, clock),
    // The audit entry of a write is created from its event. So the entry is created even if the process
    // crashes after the write.
    stage.audit.addWrites(events),
  ]);
  stage.bodies.keep(events, clock.readAt);
  await Promise.all([
    stage.scheduler.accept(
      events.flatMap((event) => deliveriesOf(event, candidates)),
      clock,
    ),
    stage.events.stamp(events),
  ]);
  await stage.outbox.takeOut(events);
  return events.length;
};
