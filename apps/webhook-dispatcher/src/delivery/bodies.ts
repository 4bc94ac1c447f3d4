import { batched } from '@chairside/concurrency';
import {
  type EventLog,
  lengthOfBody,
  type QueuedDelivery,
  type StoredBody,
} from '@chairside/mongodb/dispatch';

/** Maximum number of events that are read in one round trip. */
const MAX_GROUP = 200;
/**
 * How long a body is used after it was read. It is short, because the data of an erased patient must not be sent long
 * after the erasure.
 */
const LIFE_MS = 1000;
/** Maximum length of all kept bodies together, in bytes. */
const MAX_KEPT = 8_000_000;

type EventOf = Pick<QueuedDelivery, 'eventId' | 'organizationId'>;

/**
 * The bodies of events. They are kept for a second as they are stored, because fan-out usually reads a body just before it
 * is sent, and because all deliveries of an event send the same body. Each is decrypted when it is sent.
 */
export type Bodies = {
  /**
   * Keeps the bodies of these events for `of`, for up to a second.
   *
   * @param readAt time of the read on this process's monotonic clock
   */
  keep(events: readonly { _id: string; body: StoredBody }[], readAt: number): void;
  /** Reads the missing bodies of these deliveries together, because `of` is about to be called for each. */
  expect(deliveries: readonly EventOf[]): void;
  /**
   * The text of the delivery's event, or undefined if the event is gone.
   *
   * @throws {UnreadableValueError} if it cannot be decrypted
   */
  of(delivery: EventOf): Promise<string | undefined>;
};

/** Keeps bodies, and returns those that were read less than a second ago. */
const createKept = () => {
  /** The kept bodies by event id, in the order in which they were added. */
  const kept = new Map<string, { body: StoredBody; readAt: number }>();
  let length = 0;
  let timer: NodeJS.Timeout | undefined;

  const drop = (eventId: string): void => {
    const found = kept.get(eventId);
    if (found !== undefined) length -= lengthOfBody(found.body);
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
      length += lengthOfBody(body);
    }
    if (timer === undefined || length > MAX_KEPT) {
      clearTimeout(timer);
      dropOld();
    }
  };

  const freshOf = (eventId: string): StoredBody | undefined => {
    const found = kept.get(eventId);
    return found !== undefined && isFresh(found) ? found.body : undefined;
  };

  return { keep, freshOf };
};

export const createBodies = (events: Pick<EventLog, 'bodies' | 'open'>): Bodies => {
  const { keep, freshOf } = createKept();

  const readGroup = batched<EventOf, StoredBody | undefined>(async (group) => {
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
  const inFlight = new Map<string, Promise<StoredBody | undefined>>();
  const read = (event: EventOf): Promise<StoredBody | undefined> => {
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
    async of(delivery) {
      const { eventId: _id, organizationId } = delivery;
      const body = freshOf(_id) ?? (await read(delivery));
      return body === undefined ? undefined : events.open({ _id, organizationId, body });
    },
  };
};
