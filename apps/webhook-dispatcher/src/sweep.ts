import type { EveryOrganization, OutboxRef } from '@chairside/mongodb';

/** How old an unpublished event must be before the queue is no longer waited for, in milliseconds. */
const PUBLISH_GRACE = 3000;
/** How long an attempt may be under way before its process counts as dead, in milliseconds. */
const SENDING_LIFE = 30_000;
const INTERVAL = 1000;
/** How long the lease of a process that sweeps lives, in milliseconds. */
const LEASE_LIFE = 5000;
const MAX_RECORDS = 200;
const MAX_LANES = 500;
const MAX_EVENTS = 500;
const MAX_REDELIVERIES = 20;
/** How long one round makes redeliveries, in milliseconds. */
const REDELIVERY_TIME = 1000;

/** What a round found. */
export type Found = { unpublished: number; deadLanes: number; interrupted: number; expired: number };

export type SweepOptions = Pick<
  EveryOrganization,
  'outbox' | 'lanes' | 'deliveries' | 'events' | 'redeliveries'
> & {
  worker: string;
  fanOut(refs: readonly OutboxRef[]): Promise<number>;
  openLanes(subscriptionIds: readonly string[]): Promise<void>;
  onFound(found: Found): void;
  onError(error: unknown): void;
};

/**
 * Finds what a crash, a lost job or a Redis that is away has left behind. One process at a time does it; every query is
 * an index scan that costs what is overdue.
 *
 * @returns stops it, and resolves when the last round has ended
 */
export const startSweep = (options: SweepOptions): (() => Promise<void>) => {
  const { worker, outbox, lanes, deliveries, events, redeliveries } = options;

  /** Goes on with what operators want to be sent again: a step of each in turn, so that none waits for another. */
  const redeliver = async (): Promise<void> => {
    const end = performance.now() + REDELIVERY_TIME;
    for (;;) {
      const running = await redeliveries.running(MAX_REDELIVERIES);
      for (const redelivery of running) {
        // Before, so that a process that dies right after leaves a lane that is found.
        await options.openLanes([redelivery.subscriptionId]);
        await redeliveries.advance(redelivery, new Date());
        await options.openLanes([redelivery.subscriptionId]);
      }
      if (running.length === 0 || performance.now() >= end) return;
    }
  };

  const round = async (): Promise<void> => {
    const now = await lanes.lease('sweep', worker, LEASE_LIFE);
    if (now === undefined) return;
    const before = (age: number) => new Date(now.getTime() - age);

    const overdue = await outbox.overdue(before(PUBLISH_GRACE), MAX_RECORDS);
    const unpublished = overdue.length === 0 ? 0 : await options.fanOut(overdue);

    const dead = await lanes.dead(MAX_LANES);
    if (dead.length > 0) {
      await options.openLanes([...new Set(dead.map(({ subscriptionId }) => subscriptionId))]);
      await lanes.remove(dead);
    }

    const interrupted = await deliveries.interrupt(before(SENDING_LIFE), new Date());
    const expired = await events.expire(now, MAX_EVENTS);
    if (unpublished + dead.length + interrupted + expired > 0) {
      options.onFound({ unpublished, deadLanes: dead.length, interrupted, expired });
    }
    await redeliver();
  };

  let stopped = false;
  let timer: NodeJS.Timeout;
  let running: Promise<void> = Promise.resolve();
  const next = (): void => {
    timer = setTimeout(() => {
      running = round()
        .catch(options.onError)
        .then(() => {
          if (!stopped) next();
        });
    }, INTERVAL);
  };
  next();

  return async () => {
    stopped = true;
    clearTimeout(timer);
    await running;
  };
};
