import type { LaneStore } from '@chairside/mongodb/dispatch';
import { startRounds } from '@chairside/work';

/** How long a lease lives without renewal. */
const LIFE_MS = 5000;
const RENEW_INTERVAL_MS = 1000;

/**
 * The right to do something for all processes, such as to sweep. One process at a time holds it. It is renewed every second,
 * even while a round takes long.
 */
export type Lease = {
  /** Whether this process has the right now. */
  isHeld(): boolean;
  /** The database's time. Valid only while the lease is held. */
  now(): Date;
  stop(): Promise<void>;
};

export type LeaseOptions = {
  lanes: Pick<LaneStore, 'lease'>;
  /** Names the right in the database. */
  name: 'sweep' | 'mail';
  worker: string;
  /** Called each time a renewal finds that another process holds the lease. */
  onOther(): void;
  onError(error: unknown): void;
};

export const holdLease = (options: LeaseOptions): Lease => {
  const { lanes, name, worker, onOther, onError } = options;
  let time = new Date(0);
  let readAt = 0;
  let heldUntil = Number.NEGATIVE_INFINITY;

  const renew = async (): Promise<void> => {
    const askedAt = performance.now();
    const response = await lanes.lease(name, worker, LIFE_MS);
    if (response === undefined) {
      heldUntil = Number.NEGATIVE_INFINITY;
      return onOther();
    }
    // The database read its clock between `askedAt` and `readAt`. The earlier time bounds the lease. The later time
    // ensures that `now()` is never ahead, so that the sweep does not interrupt a delivery too early.
    [time, readAt, heldUntil] = [response, performance.now(), askedAt + LIFE_MS];
  };
  const renewals = startRounds(renew, RENEW_INTERVAL_MS, onError);

  return {
    isHeld: () => performance.now() < heldUntil,
    now: () => new Date(time.getTime() + performance.now() - readAt),
    stop: renewals.stop,
  };
};
