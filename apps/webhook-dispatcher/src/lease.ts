import { startRounds } from '@chairside/concurrency';
import type { LaneStore } from '@chairside/mongodb/dispatch';

/** How long a lease lives without renewal. */
const LIFE_MS = 5000;
const RENEW_INTERVAL_MS = 1000;

/** The beginning of a period in which a process has a right. */
export type Held = {
  /** On the monotonic clock. */
  at: number;
  /** On the clock of the database. */
  time: Date;
};

/**
 * The right to do something for all processes, such as to sweep. One process at a time holds it. It is renewed every second,
 * even while a round takes long.
 */
export type Lease = {
  /** Whether this process has the right now. */
  isHeld(): boolean;
  /** Since when this process has had the right without a gap; undefined if it does not have it now. */
  heldSince(): Held | undefined;
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
  let since: Held = { at: readAt, time };

  const renew = async (): Promise<void> => {
    const askedAt = performance.now();
    const response = await lanes.lease(name, worker, LIFE_MS);
    if (response === undefined) {
      heldUntil = Number.NEGATIVE_INFINITY;
      return onOther();
    }
    const hasGap = performance.now() >= heldUntil;
    // The database read its clock between `askedAt` and `readAt`. The earlier time bounds the lease. The later time
    // ensures that `now()` is never ahead, so that the sweep does not interrupt a delivery too early.
    [time, readAt, heldUntil] = [response, performance.now(), askedAt + LIFE_MS];
    if (hasGap) since = { at: readAt, time };
  };
  const renewals = startRounds(renew, RENEW_INTERVAL_MS, onError);

  const isHeld = () => performance.now() < heldUntil;

  return {
    isHeld,
    heldSince: () => (isHeld() ? since : undefined),
    now: () => new Date(time.getTime() + performance.now() - readAt),
    stop: renewals.stop,
  };
};
