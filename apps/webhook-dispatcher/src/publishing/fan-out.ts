import { CLOCK_TOLERANCE_MS, deliveryId, subscribes } from '@chairside/domain';
import { type Dispatch, type NewDelivery, type StoredEvent, sentBytes } from '@chairside/mongodb/dispatch';
import type { Bodies } from '../delivery/bodies.ts';
import type { ReceiverCache } from '../delivery/receiver-cache.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import type { FanOutCosts } from './fan-out-costs.ts';
import type { Filing } from './filing.ts';

/** The stores and stages that fan-out uses. */
export type FanOutStage = {
  receivers: Pick<Dispatch['receivers'], 'inClinics'>;
  bodies: Pick<Bodies, 'keep'>;
  receiverCache: Pick<ReceiverCache, 'keep'>;
  scheduler: Pick<Scheduler, 'accept'>;
  filing: Pick<Filing, 'file' | 'has'>;
  costs: Pick<FanOutCosts, 'learn'>;
};

type Candidate = Awaited<ReturnType<FanOutStage['receivers']['inClinics']>>[number];

const deliveriesOf = (event: StoredEvent, candidates: readonly Candidate[]): NewDelivery[] => {
  const bodyBytes = sentBytes(event.body);
  return candidates
    .filter(
      ({ events, chainCreatedTime, receiver }) =>
        receiver.organizationId === event.organizationId &&
        event.clinicIds.includes(receiver.clinicId) &&
        chainCreatedTime.getTime() <= event.time.getTime() + CLOCK_TOLERANCE_MS &&
        // A subscription with invalid data must not prevent the delivery to the other subscriptions.
        Array.isArray(events) &&
        subscribes(events, event.event),
    )
    .map(({ chainId, receiver: { _id, organizationId, clinicId, active } }) => ({
      _id: deliveryId(event._id, chainId),
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

/** What a job says about an event before the event is read. */
export type AnnouncedEvent = { organizationId: string; eventId: string; clinicIds: readonly string[] };

/**
 * Whether the subscriptions of the announced events are those of these events. An event that was not announced may have
 * been written after the subscriptions were read.
 */
const areAnnounced = (events: readonly StoredEvent[], announced: readonly AnnouncedEvent[]): boolean => {
  const clinicsOf = new Map(announced.map(({ eventId, clinicIds }) => [eventId, clinicIds]));
  return events.every(({ _id, clinicIds }) => clinicIds.every((each) => clinicsOf.get(_id)?.includes(each)));
};

/**
 * Creates one delivery for each unpublished event and each subscription to it, and hands the events over to be filed.
 * Each step may be repeated, because the events are removed from their records last.
 *
 * @param read returns the events, and limits the total of their bytes
 * @param announced what is known of events that `read` returns. Their subscriptions are read at the same time
 * @returns the number of events
 */
export const fanOut = async (
  read: () => Promise<StoredEvent[]>,
  stage: FanOutStage,
  announced: readonly AnnouncedEvent[] = [],
): Promise<number> => {
  const readCandidates = async (of: readonly Pick<AnnouncedEvent, 'organizationId' | 'clinicIds'>[]) => {
    const readAt = performance.now();
    const candidates = await stage.receivers.inClinics(
      of.flatMap(({ organizationId, clinicIds }) =>
        clinicIds.map((clinicId) => ({ organizationId, clinicId })),
      ),
    );
    stage.receiverCache.keep(
      candidates.map(({ receiver }) => receiver),
      readAt,
    );
    return candidates;
  };
  const bodiesReadAt = performance.now();
  const early = announced.length > 0 ? readCandidates(announced) : undefined;
  // If no event needs the result, nobody waits for it.
  early?.catch(() => {});
  const found = await read();
  // The deliveries of an event that waits to be filed are stored already.
  const events = found.filter(({ _id }) => !stage.filing.has(_id));
  if (events.length === 0) return 0;
  const candidates = await ((areAnnounced(events, announced) && early) || readCandidates(events));
  stage.bodies.keep(events, bodiesReadAt);
  const deliveries = events.flatMap((event) => deliveriesOf(event, candidates));
  stage.costs.learn(events, deliveries);
  await stage.scheduler.accept(deliveries);
  await stage.filing.file(events);
  return events.length;
};
