import type { Event, ResourceLimit } from '@chairside/domain';
import {
  type EveryOrganization,
  isDatabaseUnavailable,
  type LargeOutboxRef,
  type OutboxRef,
} from '@chairside/mongodb';
import { batched } from '@chairside/runtime';
import type { RestingRecords } from './resting-records.ts';
import { createTurns } from './turns.ts';

/** The most records whose events are published in one group. */
const MAX_GROUP = 200;
/** How many groups of small records are published concurrently. */
const GROUPS_AT_ONCE = 2;
/** The most bytes of large records that are read in one slice. A single record may exceed it. */
const SLICE_BYTES = 4 * 1024 * 1024;
/** The most large records that wait in memory, in total and of one organization. The sweep finds the others later. */
const MAX_WAITING = 2000;
const MAX_WAITING_OF_ORGANIZATION = 200;

export const publisherLimits: readonly ResourceLimit[] = [
  {
    id: 'outboxes_read',
    part: 'Webhooks',
    resource: 'Large records whose events are published in one slice; organizations take turns',
    value: SLICE_BYTES / 2 ** 20,
    unit: 'MiB in each process',
    beyond: 'the events wait',
    metric: 'chairside_oldest_unsent_event_age_seconds',
  },
  {
    id: 'outboxes_waiting',
    part: 'Webhooks',
    resource: 'Large records of one organization that wait in memory',
    value: MAX_WAITING_OF_ORGANIZATION,
    unit: 'in each process',
    beyond: 'the sweep finds the others',
    metric: 'chairside_oldest_unsent_event_age_seconds',
  },
];

export type PublisherOptions = {
  outbox: Pick<EveryOrganization['outbox'], 'read' | 'readSmall'>;
  /** Publishes the events that `read` returns. May be repeated. */
  fanOut(records: number, read: () => Promise<Event[]>): Promise<void>;
  resting: RestingRecords;
  onError(error: unknown): void;
};

/**
 * Publishes the unpublished events of records. Small records share groups. Large records wait in a queue of their own
 * and are published in slices of bounded size; organizations take turns. This bounds the memory, and an organization
 * with many large records does not delay the events of others.
 */
export type Publisher = {
  /** Resolves when a small record's events are published, or when a large record is in its queue. */
  publish(ref: OutboxRef): Promise<void>;
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

export const createPublisher = ({ outbox, fanOut, resting, onError }: PublisherOptions): Publisher => {
  const large = createTurns<LargeOutboxRef>();
  let running: Promise<void> | undefined;
  let stopped = false;

  /**
   * Publishes each record by itself after a group has failed, so that a record that cannot be published blocks no
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

  const publishSlice = async (slice: readonly OutboxRef[]): Promise<void> => {
    try {
      await fanOut(slice.length, () => outbox.read(slice));
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      onError(error);
      await publishAlone(slice);
    }
  };

  const isFull = (taken: readonly LargeOutboxRef[]): boolean =>
    taken.length >= MAX_GROUP || taken.reduce((sum, { bytes }) => sum + bytes, 0) >= SLICE_BYTES;

  const run = async (): Promise<void> => {
    while (large.size > 0 && !stopped) {
      // If the database is unavailable, the sweep finds these records later.
      await publishSlice(large.take(isFull)).catch(onError);
    }
    running = undefined;
  };

  const publish = batched<OutboxRef, void>(
    async (group) => {
      const refs = [...new Map(group.map((ref) => [ref.recordId, ref])).values()];
      const found: LargeOutboxRef[] = [];
      const readSmall = async (): Promise<Event[]> => {
        const read = await outbox.readSmall(refs);
        found.push(...read.large);
        return read.events;
      };
      try {
        await fanOut(refs.length, readSmall);
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        onError(error);
        const isLarge = new Set(found.map(({ recordId }) => recordId));
        await publishAlone(refs.filter(({ recordId }) => !isLarge.has(recordId)));
      }
      for (const ref of found) {
        const hasRoom =
          large.size < MAX_WAITING && large.sizeOf(ref.organizationId) < MAX_WAITING_OF_ORGANIZATION;
        if (hasRoom) large.add(ref.organizationId, ref.recordId, ref);
      }
      if (large.size > 0) running ??= run();
      return [];
    },
    MAX_GROUP,
    { atOnce: GROUPS_AT_ONCE },
  );

  return {
    publish,
    inHand: () => [...large.keys(), ...resting.ids()],
    full: () => large.organizations().filter((id) => large.sizeOf(id) >= MAX_WAITING_OF_ORGANIZATION),
    async stop() {
      stopped = true;
      await running;
    },
  };
};
