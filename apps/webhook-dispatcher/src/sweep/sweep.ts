import type { EveryOrganization } from '@chairside/mongodb';
import type { Publisher } from '../publishing/publisher.ts';
import { holdSweepLease } from './sweep-lease.ts';

/** The sweep publishes events that are older than this, in milliseconds. The queue publishes newer events. */
const PUBLISH_GRACE = 3000;
/** How long a delivery may be claimed before its process counts as dead, in milliseconds. */
const SENDING_LIFE = 30_000;
const INTERVAL = 1000;
/** The most records of each kind that one round publishes. Without Redis, all events are published by rounds. */
const MAX_RECORDS = 1000;
/** How many records are published before the time and the lease are checked again. */
const RECORDS_AT_ONCE = 50;
const MAX_LANES = 500;
const MAX_EVENTS = 500;
const MAX_REDELIVERIES = 20;
/** A round of a part begins no further step after this time, in milliseconds. */
const ROUND_TIME = 1000;
/** How long after its end an hour of the statistics is closed, in milliseconds. Outcomes are stored within this time. */
const HOUR_GRACE = 5 * 60_000;
/** The most changed deliveries whose hours are computed again in one round. */
const MAX_REOPENED = 200;
/** How long a redelivery rests after one of its steps failed, in milliseconds. */
const REST = 30_000;
/** How long a part may take to finish a round before the process is not ready, in milliseconds. */
const MAX_AGE = 60_000;

/** The number of items that the sweep found, by part. */
export type Found = {
  unpublished: number;
  deadLanes: number;
  requestedLanes: number;
  interrupted: number;
  expired: number;
};

export type SweepOptions = Pick<
  EveryOrganization,
  'outbox' | 'lanes' | 'laneRequests' | 'deliveries' | 'deliveryHours' | 'events' | 'redeliveries'
> & {
  worker: string;
  publisher: Pick<Publisher, 'publish' | 'inHand' | 'full'>;
  openLanes(subscriptionIds: readonly string[]): Promise<void>;
  onFound(found: Partial<Found>): void;
  onError(error: unknown): void;
};

export type Sweep = {
  /** Milliseconds since the part that is furthest behind finished a round; 0 while another process sweeps. */
  age(): number;
  /** Whether a part has not finished a round for a minute. */
  isStuck(): boolean;
  /** Resolves when the current rounds have ended. */
  stop(): Promise<void>;
};

/**
 * Finds work that a crash, a lost job or a Redis outage left behind. One process at a time runs it. Every query is an
 * index scan whose cost depends on what is overdue. The parts run independently, so a part that fails or takes long
 * does not delay the others.
 */
export const startSweep = (options: SweepOptions): Sweep => {
  const { worker, outbox, lanes, laneRequests, deliveries, deliveryHours, events, redeliveries } = options;
  const { publisher, onError } = options;

  /** Whether a round that began at this time may begin another step. */
  const mayGoOn = (begun: number): boolean => lease.isHeld() && performance.now() - begun < ROUND_TIME;
  const before = (age: number): Date => new Date(lease.now().getTime() - age);

  const publishOverdue = async (): Promise<number> => {
    const begun = performance.now();
    const overdue = await outbox.overdue(before(PUBLISH_GRACE), MAX_RECORDS, {
      records: publisher.inHand(),
      organizations: publisher.full(),
    });
    let published = 0;
    while (published < overdue.length && (published === 0 || mayGoOn(begun))) {
      const group = overdue.slice(published, published + RECORDS_AT_ONCE);
      await Promise.all(group.map(publisher.publish));
      published += group.length;
    }
    return published;
  };

  const openLanesOf = (found: readonly { subscriptionId: string }[]): Promise<void> =>
    options.openLanes([...new Set(found.map(({ subscriptionId }) => subscriptionId))]);

  const openDeadLanes = async (): Promise<number> => {
    const dead = await lanes.dead(MAX_LANES);
    if (dead.length === 0) return 0;
    await openLanesOf(dead);
    await lanes.remove(dead);
    return dead.length;
  };

  const openRequestedLanes = async (): Promise<number> => {
    const requests = await laneRequests.due(MAX_LANES);
    if (requests.length === 0) return 0;
    await openLanesOf(requests);
    await laneRequests.remove(requests);
    return requests.length;
  };

  /** Redeliveries whose step failed, with the end of their rest on the monotonic clock. */
  const resting = new Map<string, number>();
  /** Advances the bulk redeliveries that administrators requested, one step of each in turn, so that none waits for another. */
  const redeliver = async (): Promise<void> => {
    const begun = performance.now();
    for (const [id, until] of resting) if (until < begun) resting.delete(id);
    do {
      const running = await redeliveries.running(MAX_REDELIVERIES + resting.size);
      const due = running.filter(({ _id }) => !resting.has(_id));
      const failures: unknown[] = [];
      for (const redelivery of due) {
        try {
          // Open the lane before the step: if the process crashes right after it, another process finds the dead lane.
          await options.openLanes([redelivery.subscriptionId]);
          await redeliveries.advance(redelivery, new Date());
          await options.openLanes([redelivery.subscriptionId]);
        } catch (error) {
          onError(error);
          failures.push(error);
          resting.set(redelivery._id, performance.now() + REST);
        }
      }
      if (due.length === 0) return;
      // A round in which nothing succeeds does not count as finished, so the age of this part grows.
      if (failures.length === due.length) throw failures[0];
    } while (mayGoOn(begun));
  };

  /** Closes the hours of the statistics that have ended, and computes again those that have changed. */
  const computeStatistics = async (): Promise<void> => {
    const begun = performance.now();
    await deliveryHours.recompute(lease.now(), MAX_REOPENED);
    while (mayGoOn(begun) && (await deliveryHours.closeNext(before(HOUR_GRACE), lease.now())));
  };

  const expireEvents = async (): Promise<number> => {
    const begun = performance.now();
    let expired = 0;
    let deleted: number;
    do {
      deleted = await events.expire(lease.now(), MAX_EVENTS);
      expired += deleted;
    } while (deleted > 0 && mayGoOn(begun));
    return expired;
  };

  const parts: Readonly<
    Record<keyof Found | 'redeliveries' | 'statistics', () => Promise<number | undefined>>
  > = {
    unpublished: publishOverdue,
    deadLanes: openDeadLanes,
    requestedLanes: openRequestedLanes,
    interrupted: () => deliveries.interrupt(before(SENDING_LIFE), new Date()),
    expired: expireEvents,
    redeliveries: async () => void (await redeliver()),
    statistics: async () => void (await computeStatistics()),
  };

  const finishedAt = new Map(Object.keys(parts).map((part) => [part, performance.now()]));
  const age = () => performance.now() - Math.min(...finishedAt.values());
  const lease = holdSweepLease({
    lanes,
    worker,
    onOther() {
      for (const part of finishedAt.keys()) if (!underWay.has(part)) finishedAt.set(part, performance.now());
    },
    onError,
  });

  /** The rounds in progress, by part. */
  const underWay = new Map<string, Promise<void>>();
  const round = async (part: string, work: () => Promise<number | undefined>): Promise<void> => {
    try {
      const found = await work();
      finishedAt.set(part, performance.now());
      if (found) options.onFound({ [part]: found });
    } catch (error) {
      onError(error);
    }
    underWay.delete(part);
  };
  const timer = setInterval(() => {
    if (!lease.isHeld()) return;
    for (const [part, work] of Object.entries(parts)) {
      if (!underWay.has(part)) underWay.set(part, round(part, work));
    }
  }, INTERVAL);

  return {
    age,
    isStuck: () => age() > MAX_AGE,
    async stop() {
      clearInterval(timer);
      await lease.stop();
      await Promise.all(underWay.values());
    },
  };
};
