import type { UnpublishedEvent } from '@chairside/domain';
import { isDatabaseUnavailable } from '@chairside/mongodb';
import type { Dispatch, LargeOutboxRef, OutboxRef, StoredEvent } from '@chairside/mongodb/dispatch';
import { batched } from '@chairside/work';
import type { AnnouncedEvent } from './fan-out.ts';
import { createLargeRecords } from './large-records.ts';
import type { RestingRecords } from './resting-records.ts';

/** Maximum number of records whose events are published in one group. */
const MAX_GROUP = 200;
/** Maximum number of groups of small records that are published concurrently. */
const GROUPS_AT_ONCE = 2;

export type PublisherOptions = {
  outbox: Pick<Dispatch['outbox'], 'read' | 'readSmall'>;
  /** Publishes the events that `read` returns. May be repeated. See `fanOut`. */
  fanOut(
    records: number,
    read: () => Promise<StoredEvent[]>,
    announced?: readonly AnnouncedEvent[],
  ): Promise<void>;
  resting: RestingRecords;
  onError(error: unknown): void;
};

/**
 * Publishes the unpublished events of records. Small records share groups. Large records wait in a queue of their own
 * and are published in slices of bounded size; organizations take turns. This bounds the memory, and an organization
 * with many large records does not delay the events of others.
 */
export type Publisher = {
  /**
   * Resolves when the events of a small record are published or have been refused. For a large record, resolves when
   * the record waits in the queue, or is left to the sweep because the queue is full. Rejects if the database is
   * unavailable.
   */
  publish(ref: OutboxRef | UnpublishedEvent): Promise<void>;
  /**
   * Ids of the records that the sweep must ignore, because they wait here or their events could not be published
   * a moment ago.
   */
  inHand(): string[];
  /** The organizations whose share of the queue is full. The sweep ignores their records. */
  full(): string[];
  /** Stops after the current slice of large records. Resolves when it has ended. */
  stop(): Promise<void>;
};

/** Whether a job names the event and its clinics. The sweep does not. */
const isAnnounced = (ref: OutboxRef | UnpublishedEvent): ref is UnpublishedEvent => 'clinicIds' in ref;

export const createPublisher = ({ outbox, fanOut, resting, onError }: PublisherOptions): Publisher => {
  /**
   * Publishes each record separately after a group has failed, so that a record that cannot be published blocks no
   * other.
   */
  const publishAlone = async (refs: readonly OutboxRef[]): Promise<void> => {
    for (const ref of refs) {
      try {
        await fanOut(1, () => outbox.read([ref]));
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        resting.add(ref, error);
      }
    }
  };

  const large = createLargeRecords({
    async publish(slice) {
      try {
        await fanOut(slice.length, () => outbox.read(slice));
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        onError(error);
        await publishAlone(slice);
      }
    },
    onError,
  });

  const publish = batched<OutboxRef | UnpublishedEvent, void>(
    async (group) => {
      const refs = [...new Map(group.map((ref) => [ref.recordId, ref])).values()];
      const found: LargeOutboxRef[] = [];
      const readSmall = async (): Promise<StoredEvent[]> => {
        const read = await outbox.readSmall(refs);
        found.push(...read.large);
        return read.events;
      };
      try {
        await fanOut(refs.length, readSmall, group.filter(isAnnounced));
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        onError(error);
        const isLarge = new Set(found.map(({ recordId }) => recordId));
        await publishAlone(refs.filter(({ recordId }) => !isLarge.has(recordId)));
      }
      large.add(found);
      return [];
    },
    MAX_GROUP,
    { atOnce: GROUPS_AT_ONCE },
  );

  return {
    publish,
    inHand: () => [...large.waiting(), ...resting.ids()],
    full: large.full,
    stop: large.stop,
  };
};
