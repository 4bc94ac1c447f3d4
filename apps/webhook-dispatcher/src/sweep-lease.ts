import type { LaneStore } from '@chairside/mongodb';

/** How long the lease of a process that sweeps lives without being renewed, in milliseconds. */
const LIFE = 5000;
const RENEW_INTERVAL = 1000;

/** The right to sweep, which one process at a time has. It is renewed while the work goes on, however long that takes. */
export type SweepLease = {
  /** Whether this process may sweep now. */
  isHeld(): boolean;
  /** The database's time; only while the lease is held. */
  now(): Date;
  stop(): Promise<void>;
};

export type SweepLeaseOptions = {
  lanes: Pick<LaneStore, 'lease'>;
  worker: string;
  /** Told each time that another process turns out to have the lease. */
  onOther(): void;
  onError(error: unknown): void;
};

export const holdSweepLease = (options: SweepLeaseOptions): SweepLease => {
  const { lanes, worker, onOther, onError } = options;
  let time = new Date(0);
  let readAt = 0;
  let heldUntil = Number.NEGATIVE_INFINITY;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const renew = async (): Promise<void> => {
    const askedAt = performance.now();
    const answer = await lanes.lease('sweep', worker, LIFE);
    if (answer === undefined) {
      heldUntil = Number.NEGATIVE_INFINITY;
      return onOther();
    }
    // The database took its time between the two: neither the lease nor what the sweep takes for dead may be early.
    [time, readAt, heldUntil] = [answer, performance.now(), askedAt + LIFE];
  };
  const loop = (): Promise<void> =>
    renew()
      .catch(onError)
      .then(() => {
        if (stopped) return;
        timer = setTimeout(() => {
          running = loop();
        }, RENEW_INTERVAL);
      });
  let running = loop();

  return {
    isHeld: () => performance.now() < heldUntil,
    now: () => new Date(time.getTime() + performance.now() - readAt),
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
};
