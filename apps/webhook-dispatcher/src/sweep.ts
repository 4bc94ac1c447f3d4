import type { EveryOrganization, OutboxRef } from '@chairside/mongodb';

/** How old an unpublished event must be before the queue is no longer waited for, in milliseconds. */
export const PUBLISH_GRACE = 3000;
/** How long an attempt may be under way before its process counts as dead, in milliseconds. */
export const SENDING_LIFE = 30_000;
const INTERVAL = 1000;
/** How long the lease of a process that sweeps lives, in milliseconds. */
const LEASE_LIFE = 5000;
const MAX_RECORDS = 200;
const MAX_LANES = 500;

export type SweepOptions = Pick<EveryOrganization, 'outbox' | 'lanes' | 'deliveries'> & {
  worker: string;
  fanOut(refs: readonly OutboxRef[]): Promise<number>;
  openLanes(subscriptionIds: readonly string[]): Promise<void>;
  onFound(found: { unpublished: number; deadLanes: number; interrupted: number }): void;
  onError(error: unknown): void;
};

/**
 * Finds what a crash, a lost job or a Redis that is away has left behind. One process at a time does it; every query is
 * an index scan that costs what is overdue.
 *
 * @returns stops it, and resolves when the last round has ended
 */
export const startSweep = (options: SweepOptions): (() => Promise<void>) => {
  const { worker, outbox, lanes, deliveries } = options;

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
    if (unpublished + dead.length + interrupted > 0) {
      options.onFound({ unpublished, deadLanes: dead.length, interrupted });
    }
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
