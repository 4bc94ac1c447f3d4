import type { UnpublishedEvent } from '@chairside/domain';
import { isDatabaseUnavailable } from '@chairside/mongodb';
import type { Dispatch, LargeOutboxRef, OutboxRef, StoredEvent } from '@chairside/mongodb/dispatch';
import type { AnnouncedEvent } from './fan-out.ts';
import type { FanOutCosts } from './fan-out-costs.ts';
import { createLargeRecords } from './large-records.ts';
import type { RestingRecords } from './resting-records.ts';
import { createSmallRecords } from './small-records.ts';

export type PublisherOptions = {
  outbox: Pick<Dispatch['outbox'], 'read' | 'readSmall'>;
  /** Publishes the events that `read` returns. May be repeated. See `fanOut`. */
  fanOut(
    records: number,
    read: () => Promise<StoredEvent[]>,
    announced?: readonly AnnouncedEvent[],
  ): Promise<void>;
  costs: Pick<FanOutCosts, 'of'>;
  resting: RestingRecords;
  onError(error: unknown): void;
};

/**
 * Publishes the unpublished events of records. Small records share groups of bounded cost. Large records wait in a queue
 * of their own and are published in slices of bounded size. In both, organizations take turns. This bounds the memory,
 * and an organization with many events, subscriptions or large records does not delay the events of others.
 */
export type Publisher = {
  /** Publishes an event that a job names. Resolves when the job may end. */
  announce(event: UnpublishedEvent): Promise<void>;
  /**
   * Resolves when the events of a small record are published or have been refused. For a large record, and while many
   * records of the organization wait, resolves when the record waits in a queue, or is left to the sweep because the queue
   * is full. Rejects if the database is unavailable.
   */
  publish(ref: OutboxRef): Promise<void>;
  /**
   * Ids of the records that the sweep must ignore, because they wait here or their events could not be published
   * a moment ago.
   */
  inHand(): string[];
  /** The organizations whose share of the queue of large records is full. The sweep ignores their records. */
  full(): string[];
  /**
   * Stops after the current slice of large records, and after the small records that are published within two seconds.
   */
  stop(): Promise<void>;
};

export const createPublisher = ({ outbox, fanOut, costs, resting, onError }: PublisherOptions): Publisher => {
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

  const small = createSmallRecords({
    async publish(group) {
      const refs = group.map(({ ref }) => ref);
      const found: LargeOutboxRef[] = [];
      const readSmall = async (): Promise<StoredEvent[]> => {
        const read = await outbox.readSmall(refs);
        found.push(...read.large);
        return read.events;
      };
      try {
        await fanOut(
          refs.length,
          readSmall,
          group.flatMap(({ announced }) => announced),
        );
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        onError(error);
        const isLarge = new Set(found.map(({ recordId }) => recordId));
        await publishAlone(refs.filter(({ recordId }) => !isLarge.has(recordId)));
      }
      large.add(found);
    },
    costs,
    onError,
  });

  return {
    announce: small.announce,
    publish: small.add,
    inHand: () => [...large.waiting(), ...resting.ids()],
    full: large.full,
    stop: async () => void (await Promise.all([large.stop(), small.stop()])),
  };
};
