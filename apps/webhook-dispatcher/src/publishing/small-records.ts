import { within } from '@chairside/concurrency';
import type { ResourceLimit, UnpublishedEvent } from '@chairside/domain';
import type { OutboxRef } from '@chairside/mongodb/dispatch';
import type { FanOutCosts } from './fan-out-costs.ts';
import { createTurns } from './turns.ts';

/** Maximum number of records in a group. */
const MAX_GROUP = 200;
/** Maximum number of deliveries that a group is expected to create. The last record of a group may exceed it. */
const MAX_GROUP_DELIVERIES = 600;
/** Maximum number of groups that are published concurrently. */
const GROUPS_AT_ONCE = 2;
/**
 * Maximum number of events in the queue whose jobs have ended. An organization may use as many as are free: alone, half of
 * them. Beyond that its jobs stay open, so further jobs wait in Redis.
 */
const MAX_WAITING = 20_000;
/** The sweep waits for a record if fewer records of its organization than this wait before it. */
const FEW = 10;
/** How long a stop waits for the records in the queue. */
const STOP_MS = 2000;

export const smallRecordLimits: readonly ResourceLimit[] = [
  {
    id: 'deliveries_of_group',
    part: 'Webhooks',
    resource: 'Deliveries that are created together; organizations take turns with their events',
    value: MAX_GROUP_DELIVERIES,
    unit: 'deliveries',
    beyond: 'the events wait',
    metric: 'chairside_oldest_unsent_event_age_seconds',
  },
  {
    id: 'named_events_waiting',
    part: 'Webhooks',
    resource:
      'Events that jobs have named and that wait in memory until they are published; an organization may use as many as are free',
    value: MAX_WAITING,
    unit: 'in each process',
    beyond: 'further jobs wait in Redis',
    metric: 'chairside_oldest_unsent_event_age_seconds',
  },
];

/** A record with unpublished events, and the events of it that jobs have named. */
export type WaitingRecord = { ref: OutboxRef; announced: UnpublishedEvent[] };

type Item = WaitingRecord & PromiseWithResolvers<void>;

export type SmallRecordsOptions = {
  /** Publishes the events of a group. Rejects if the database is unavailable. */
  publish(group: readonly WaitingRecord[]): Promise<void>;
  costs: Pick<FanOutCosts, 'of'>;
  onError(error: unknown): void;
};

/**
 * Records wait in a queue and are published in groups. Organizations take turns, and a group ends when it is expected to
 * create many deliveries. So an event of one organization waits for few deliveries of the others, however many they have.
 */
export type SmallRecords = {
  /**
   * Adds the record of an event. Resolves at once, or when the record is published if its organization has used its share
   * of the queue.
   */
  announce(event: UnpublishedEvent): Promise<void>;
  /**
   * Adds a record. Resolves when it is published, or at once if many records of its organization wait before it. Rejects if
   * the database is unavailable.
   */
  add(ref: OutboxRef): Promise<void>;
  /** Publishes what waits, for two seconds at most. Resolves when the last group has ended. */
  stop(): Promise<void>;
};

export const createSmallRecords = ({ publish, costs, onError }: SmallRecordsOptions): SmallRecords => {
  const queue = createTurns<Item>();
  /** The records in the queue. */
  const waiting = new Map<string, Item>();
  const running = new Set<Promise<void>>();
  /** The number of events that jobs have named, of the records in the queue. */
  let named = 0;
  /** The number of runs that will still look for records. */
  let looking = 0;
  let isStopped = false;

  const takeGroup = (): Item[] => {
    let deliveries = 0;
    const group = queue.take((taken) => {
      deliveries += costs.of((taken.at(-1) as Item).ref.organizationId);
      return taken.length >= MAX_GROUP || deliveries >= MAX_GROUP_DELIVERIES;
    });
    for (const { ref, announced } of group) {
      waiting.delete(ref.recordId);
      named -= announced.length;
    }
    return group;
  };

  const run = async (): Promise<void> => {
    // The records that are added in one turn of the event loop share a group.
    await new Promise(setImmediate);
    while (waiting.size > 0 && !isStopped) {
      const group = takeGroup();
      try {
        await publish(group);
        for (const { resolve } of group) resolve();
      } catch (error) {
        // The events are still in their records, where the sweep finds them.
        onError(error);
        for (const { reject } of group) reject(error);
      }
    }
    // In the same step as the last look, so that no record is added in between without a run.
    looking--;
  };

  const begin = (): void => {
    if (looking >= GROUPS_AT_ONCE || isStopped) return;
    looking++;
    const round = run().finally(() => running.delete(round));
    running.add(round);
  };

  const enqueue = ({ organizationId, kind, recordId }: OutboxRef): Item => {
    const ref = { organizationId, kind, recordId };
    const item: Item = { ref, announced: [], ...Promise.withResolvers<void>() };
    // Nobody may wait for the item.
    item.promise.catch(() => {});
    waiting.set(recordId, item);
    queue.add(organizationId, recordId, item);
    begin();
    return item;
  };

  return {
    async announce(event) {
      const hasRoom = queue.sizeOf(event.organizationId) < MAX_WAITING - named;
      const item = waiting.get(event.recordId) ?? enqueue(event);
      item.announced.push(event);
      named++;
      // If the record cannot be published now, the sweep finds it.
      if (!hasRoom) await item.promise.catch(() => {});
    },
    async add(ref) {
      const isSoon = queue.sizeOf(ref.organizationId) < FEW;
      const { promise } = waiting.get(ref.recordId) ?? enqueue(ref);
      if (isSoon) await promise;
    },
    async stop() {
      await within(Promise.all(running), STOP_MS);
      isStopped = true;
      await Promise.all(running);
    },
  };
};
