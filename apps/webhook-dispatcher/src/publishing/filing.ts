import { batched } from '@chairside/concurrency';
import { isDatabaseUnavailable } from '@chairside/mongodb';
import { type Dispatch, lengthOfBody, type StoredEvent } from '@chairside/mongodb/dispatch';

/** How long events are collected before they are filed. Their webhooks do not wait for this. */
const GATHERING_MS = 400;
/** The same for an event after a pause. It is long enough for the webhook to be sent first. */
const GATHERING_AFTER_PAUSE_MS = 50;
/** Maximum number of bytes of events that are filed together. */
const MAX_GROUP_BYTES = 1024 * 1024;
/** Number of bytes counted for each event in addition to its body. It also limits the number of events in a group. */
const EVENT_BYTES = 4096;
/** Maximum number of groups that are filed concurrently. */
const GROUPS_AT_ONCE = 2;
/** Fan-out waits while the events that wait to be filed have more bytes than this. */
const MAX_WAITING_BYTES = 2 * MAX_GROUP_BYTES;

export type FilingOptions = {
  audit: Pick<Dispatch['audit'], 'addWrites'>;
  events: Pick<Dispatch['events'], 'enter'>;
  outbox: Pick<Dispatch['outbox'], 'takeOut'>;
  /** Called for an event that the database refuses. The event stays in its record. */
  onRefused(event: StoredEvent, error: unknown): void;
  onError(error: unknown): void;
};

/**
 * Files events whose deliveries are stored: enters them into the log, creates the audit entries of their writes, and
 * then removes them from their records. Events that arrive within 400 ms share these statements. If the process
 * crashes before the events are removed, the sweep finds them in their records, and all steps are repeated.
 */
export type Filing = {
  /** Resolves when there is room for more events: at once, unless many bytes wait. Never throws. */
  file(events: readonly StoredEvent[]): Promise<void>;
  /** Whether this event waits to be filed. */
  has(eventId: string): boolean;
  /** Resolves when no event waits any more. Events that could not be filed stay in their records. */
  stop(): Promise<void>;
};

const bytesOf = ({ body }: StoredEvent): number => EVENT_BYTES + lengthOfBody(body);

export const createFiling = ({ audit, events: log, outbox, onRefused, onError }: FilingOptions): Filing => {
  const fileTogether = async (events: readonly StoredEvent[]): Promise<void> => {
    // The audit entry of a write is created from its event. So the entry is created even if the api crashes after the
    // write.
    await Promise.all([log.enter(events), audit.addWrites(events)]);
    await outbox.takeOut(events);
  };

  /** Files each event separately after a group has failed, so that a refused event does not block the others. */
  const fileAlone = async (events: readonly StoredEvent[]): Promise<void> => {
    for (const event of events) {
      try {
        await fileTogether([event]);
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        onRefused(event, error);
      }
    }
  };

  const store = batched<StoredEvent, void>(
    async (group) => {
      try {
        await fileTogether(group).catch((error: unknown) => {
          if (isDatabaseUnavailable(error)) throw error;
          onError(error);
          return fileAlone(group);
        });
      } catch (error) {
        // The events are still in their records, where the sweep finds them.
        onError(error);
      }
      return [];
    },
    MAX_GROUP_BYTES,
    { atOnce: GROUPS_AT_ONCE, delayMs: GATHERING_MS, idleDelayMs: GATHERING_AFTER_PAUSE_MS, sizeOf: bytesOf },
  );

  /** The ids of the events that wait to be filed, the oldest first. Each promise resolves when the wait has ended. */
  const waiting = new Map<string, Promise<void>>();
  let waitingBytes = 0;

  const wait = (event: StoredEvent): void => {
    waitingBytes += bytesOf(event);
    const filed = store(event).then(() => {
      waitingBytes -= bytesOf(event);
      waiting.delete(event._id);
    });
    waiting.set(event._id, filed);
  };

  return {
    async file(events) {
      for (const event of events) if (!waiting.has(event._id)) wait(event);
      // Wait for the oldest events first.
      for (const filed of waiting.values()) {
        if (waitingBytes <= MAX_WAITING_BYTES) return;
        await filed;
      }
    },
    has: (eventId) => waiting.has(eventId),
    stop: async () => void (await Promise.all(waiting.values())),
  };
};
