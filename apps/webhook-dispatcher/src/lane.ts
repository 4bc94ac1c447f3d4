import type { ResourceLimit } from '@chairside/domain';
import type { ClaimedDelivery, QueuedDelivery } from '@chairside/mongodb';

/** The most attempts under way for one subscription in one process. */
const MAX_ATTEMPTS = 20;
/** The most Deliveries of one subscription that a process has claimed and not ended. */
const MAX_CLAIMED = 100;
/** A lane claims ahead what it sends within this time, in milliseconds: a crash leaves that `interrupted`, unsent. */
const AHEAD = 50;
/** How much the last attempt weighs in a lane's pace. */
const LAST_WEIGHT = 0.2;
/** How long a claim may wait for its attempt before it is given back, in milliseconds. */
const CLAIM_LIFE = 1000;
/** How long after its claim an attempt may begin, in milliseconds: well before the sweep takes its process for dead. */
const ATTEMPT_DEADLINE = 10_000;
/** The most attempts under way for a receiver that has not answered yet, and for a slow one among many. */
const FEW = 4;
/** How long the attempts of a slow receiver take, in milliseconds. */
const SLOW = 1000;

/**
 * A claimed Delivery; by this process's monotonic clock, the time before which it was not claimed, and since when it
 * waits for its attempt: between the two is what the database takes.
 */
export type Claim = { delivery: ClaimedDelivery; claimedAt: number; readyAt: number };

/** What this process does for one subscription. */
export type Lane = {
  subscriptionId: string;
  /** What waits, as far as it is known here. */
  page: QueuedDelivery[];
  /** Whether there may be more than the page has. */
  more: boolean;
  /** What is claimed and not begun. */
  ready: Claim[];
  /** What is being claimed, ready, under way, or being given back, by id; each with what to call at its end. */
  inHand: Map<string, () => void>;
  underWay: number;
  /** Shrinks when the receiver keeps timing out, grows back when it answers. */
  cap: number;
  /** Milliseconds that an attempt takes of late, when one has ended. */
  pace: number | undefined;
  reading: boolean;
  resting: boolean;
  usedAt: number;
  /** When it was last tried while we reached nobody. */
  triedAt: number;
  /** Whether it has looked into the database since it had something to do. */
  hasLooked: boolean;
};

/** @param now by the monotonic clock, like every `now` here */
export const newLane = (subscriptionId: string, now: number): Lane => ({
  subscriptionId,
  page: [],
  more: false,
  ready: [],
  inHand: new Map(),
  underWay: 0,
  cap: MAX_ATTEMPTS,
  pace: undefined,
  reading: false,
  resting: false,
  usedAt: now,
  triedAt: 0,
  hasLooked: false,
});

/** Takes note that it has something to do. */
export const use = (lane: Lane, now: number): void => {
  lane.usedAt = now;
  lane.hasLooked = false;
};

export const isFresh = ({ readyAt }: Claim, now: number): boolean => now - readyAt < CLAIM_LIFE;

/** Until when its attempt may begin. */
export const deadlineOf = ({ claimedAt }: Claim): number => claimedAt + ATTEMPT_DEADLINE;

/** How fast a receiver is, as far as is known. */
export type Speed = 'unknown' | 'fast' | 'slow';

export const speedOf = ({ pace }: Lane): Speed => {
  if (pace === undefined) return 'unknown';
  return pace < SLOW ? 'fast' : 'slow';
};

const capOf = (lane: Lane, isCrowded: boolean): number => {
  const speed = speedOf(lane);
  return speed === 'unknown' || (speed === 'slow' && isCrowded) ? Math.min(lane.cap, FEW) : lane.cap;
};

/**
 * Whether it may begin an attempt.
 *
 * @param isCrowded whether slow receivers must leave room to each other; likewise below
 */
export const hasSlot = (lane: Lane, isCrowded: boolean): boolean => lane.underWay < capOf(lane, isCrowded);

/** Whether it has had nothing to do for so many milliseconds. */
export const isIdleFor = (
  { more, reading, page, inHand, usedAt }: Lane,
  milliseconds: number,
  now: number,
): boolean => !more && !reading && page.length === 0 && inHand.size === 0 && now - usedAt >= milliseconds;

/** Whether it may claim one more: what it can begin at once, and beyond that only for a receiver that answers fast. */
export const hasRoom = (lane: Lane, isCrowded: boolean): boolean => {
  const { pace = AHEAD, inHand, resting } = lane;
  const cap = capOf(lane, isCrowded);
  return !resting && inHand.size < Math.max(cap, Math.min(MAX_CLAIMED, Math.round((cap * AHEAD) / pace)));
};

/** Takes out the claims that wait for too long. The receiver has fallen silent: nothing is claimed ahead for it. */
export const takeStale = (lane: Lane, now: number): Claim[] => {
  const stale = lane.ready.filter((claim) => !isFresh(claim, now));
  if (stale.length === 0) return stale;
  lane.ready = lane.ready.filter((claim) => isFresh(claim, now));
  lane.pace = Math.max(lane.pace ?? 0, CLAIM_LIFE);
  return stale;
};

/** Whether all that waits is in the page. */
const knowsAll = ({ more, reading }: Lane): boolean => !more && !reading;

/** Whether nothing waits in it, so that what is new may go first. */
export const isClear = (lane: Lane): boolean => knowsAll(lane) && lane.page.length === 0;

/** Adds what has just been stored to what waits, of which so many may be in the page. */
export const enqueue = (lane: Lane, delivery: QueuedDelivery, pageSize: number): void => {
  if (knowsAll(lane) && lane.page.length < pageSize) lane.page.push(delivery);
  else lane.more = true;
};

/** Learns from an attempt that took so many milliseconds. */
export const learn = (lane: Lane, timedOut: boolean, milliseconds: number): void => {
  lane.cap = timedOut ? Math.max(1, lane.cap >> 1) : Math.min(MAX_ATTEMPTS, lane.cap + 1);
  const { pace = AHEAD } = lane;
  lane.pace = pace + LAST_WEIGHT * (milliseconds - pace);
};

export const laneLimits: readonly ResourceLimit[] = [
  {
    id: 'attempts_of_subscription',
    part: 'Webhooks',
    resource: 'Attempts under way for one subscription',
    value: MAX_ATTEMPTS,
    unit: 'in each process',
    beyond: 'the Delivery waits',
    metric: 'chairside_deliveries_queued',
  },
];
