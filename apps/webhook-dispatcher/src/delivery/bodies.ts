import type { Event } from '@chairside/domain';
import type { EventLog, QueuedDelivery } from '@chairside/mongodb';
import { batched } from '@chairside/runtime';

/** Maximum number of events that are read in one round trip. */
const MAX_GROUP = 200;
/**
 * How long a body is used after it was read. It is short, because the data of an erased patient must not be sent long
 * after the erasure.
 */
const LIFE_MS = 1000;
/** Maximum length of all kept bodies together, in characters. */
const MAX_KEPT = 8_000_000;

type EventOf = Pick<QueuedDelivery, 'eventId' | 'organizationId'>;

/**
 * The bodies of events. They are kept for a second, because fan-out usually reads a body just before it is sent, and
 * because all deliveries of an event send the same body.
 */
export type Bodies = {
  /**
   * Keeps the bodies of these events for `of`, for up to a second.
   *
   * @param readAt time of the read on this process's monotonic clock
   */
  keep(events: readonly Pick<Event, '_id' | 'body'>[], readAt: number): void;
  /** Reads the missing bodies of these deliveries together, because `of` is about to be called for each. */
  expect(deliveries: readonly EventOf[]): void;
  /** The body of the delivery's event, or undefined if the event is gone. */
  of(delivery: EventOf): Promise<string | undefined>;
};

/** Keeps bodies, and returns those that were read less than a second ago. */
const createKept = () => {
  /** The kept bodies by event id, in the order in which they were added. */
  const kept = new Map<string, { body: string; readAt: number }>();
  let length = 0;
  let timer: NodeJS.Timeout | undefined;

  const drop = (eventId: string): void => {
    length -= kept.get(eventId)?.body.length ?? 0;
    kept.delete(eventId);
  };
  const isFresh = ({ readAt }: { readAt: number }): boolean => performance.now() - readAt < LIFE_MS;
  const dropOld = (): void => {
    for (const [eventId, each] of kept) {
      if (isFresh(each) && length <= MAX_KEPT) break;
      drop(eventId);
    }
    // An idle process must not keep patients' data in memory, so the timer drops the bodies even if no call follows.
    timer = kept.size === 0 ? undefined : setTimeout(dropOld, LIFE_MS).unref();
  };

  const keep: Bodies['keep'] = (fresh, readAt) => {
    for (const { _id, body } of fresh) {
      drop(_id);
      kept.set(_id, { body, readAt });
      length += body.length;
    }
    if (timer === undefined || length > MAX_KEPT) {
      clearTimeout(timer);
      dropOld();
    }
  };

  const freshOf = (eventId: string): string | undefined => {
    const found = kept.get(eventId);
    return found !== undefined && isFresh(found) ? found.body : undefined;
  };

  return { keep, freshOf };
};

export const createBodies = (events: Pick<EventLog, 'bodies'>): Bodies => {
  const { keep, freshOf } = createKept();

  const readGroup = batched<EventOf, string | undefined>(async (group) => {
    const readAt = performance.now();
    const bodies = await events.bodies(
      group.map(({ eventId, organizationId }) => ({ _id: eventId, organizationId })),
    );
    keep(
      [...bodies].map(([_id, body]) => ({ _id, body })),
      readAt,
    );
    return group.map(({ eventId }) => bodies.get(eventId));
  }, MAX_GROUP);

  /** The reads in flight, by event id. */
  const inFlight = new Map<string, Promise<string | undefined>>();
  const read = (event: EventOf): Promise<string | undefined> => {
    const { eventId } = event;
    const reading = inFlight.get(eventId) ?? readGroup(event).finally(() => inFlight.delete(eventId));
    inFlight.set(eventId, reading);
    return reading;
  };

  return {
    keep,
    expect(deliveries) {
      for (const delivery of deliveries) {
        // The caller of `of` receives the error.
        if (freshOf(delivery.eventId) === undefined) read(delivery).catch(() => {});
      }
    },
    of: async (delivery) => freshOf(delivery.eventId) ?? read(delivery),
  };
};
