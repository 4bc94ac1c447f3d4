import type { ResourceLimit } from '@chairside/domain';
import type { LargeOutboxRef } from '@chairside/mongodb/dispatch';
import { createTurns } from './turns.ts';

/** Maximum number of bytes that are read in one slice. The last record of a slice may exceed it. */
const SLICE_BYTES = 4 * 1024 * 1024;
/** Maximum number of records in one slice. */
const SLICE_RECORDS = 200;
/**
 * Maximum number of records that wait in memory, in total and of one organization. The sweep finds the others later.
 */
const MAX_WAITING = 2000;
const MAX_WAITING_OF_ORGANIZATION = 200;

export const largeRecordLimits: readonly ResourceLimit[] = [
  {
    id: 'outboxes_read',
    part: 'Webhooks',
    resource:
      'Total size of the large records (above 32 KiB) whose events are published together; organizations take turns',
    value: SLICE_BYTES / 2 ** 20,
    unit: 'MiB in each process',
    beyond: 'the events wait',
    metric: 'chairside_oldest_unsent_event_age_seconds',
  },
  {
    id: 'outboxes_waiting',
    part: 'Webhooks',
    resource: 'Large records of one organization that wait in memory until their events are published',
    value: MAX_WAITING_OF_ORGANIZATION,
    unit: 'in each process',
    beyond: 'the sweep finds the other records later',
    metric: 'chairside_oldest_unsent_event_age_seconds',
  },
];

export type LargeRecordsOptions = {
  publish(slice: readonly LargeOutboxRef[]): Promise<void>;
  onError(error: unknown): void;
};

/** Large records wait in a queue and are published in slices of bounded size. Organizations take turns. */
export type LargeRecords = {
  /** Adds those records for which the queue has room. */
  add(refs: readonly LargeOutboxRef[]): void;
  /** Ids of the records in the queue. */
  waiting(): string[];
  /** The organizations whose share of the queue is full. */
  full(): string[];
  /** Stops after the current slice. Resolves when it has ended. */
  stop(): Promise<void>;
};

const isFull = (taken: readonly LargeOutboxRef[]): boolean =>
  taken.length >= SLICE_RECORDS || taken.reduce((sum, { bytes }) => sum + bytes, 0) >= SLICE_BYTES;

export const createLargeRecords = ({ publish, onError }: LargeRecordsOptions): LargeRecords => {
  const queue = createTurns<LargeOutboxRef>();
  let running: Promise<void> | undefined;
  let stopped = false;

  const run = async (): Promise<void> => {
    while (queue.size > 0 && !stopped) {
      // If the database is unavailable, the sweep finds these records later.
      await publish(queue.take(isFull)).catch(onError);
    }
    running = undefined;
  };

  const hasRoom = ({ organizationId }: LargeOutboxRef): boolean =>
    queue.size < MAX_WAITING && queue.sizeOf(organizationId) < MAX_WAITING_OF_ORGANIZATION;

  return {
    add(refs) {
      for (const ref of refs) if (hasRoom(ref)) queue.add(ref.organizationId, ref.recordId, ref);
      if (queue.size > 0) running ??= run();
    },
    waiting: () => queue.keys(),
    full: () => queue.organizations().filter((id) => queue.sizeOf(id) >= MAX_WAITING_OF_ORGANIZATION),
    async stop() {
      stopped = true;
      await running;
    },
  };
};
