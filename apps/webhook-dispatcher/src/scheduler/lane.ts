import type { ResourceLimit } from '@chairside/domain';
import type { ClaimedDelivery, QueuedDelivery } from '@chairside/mongodb';

/** The most attempts under way for one subscription in one process. */
const MAX_ATTEMPTS = 20;
/** The most deliveries of one subscription that a process has in hand. */
const MAX_CLAIMED = 100;
/** A lane claims ahead what it sends within this time, in milliseconds. A crash leaves that `interrupted`, unsent. */
const AHEAD = 50;
/** How much the last attempt weighs in a lane's pace. */
const LAST_WEIGHT = 0.2;
/** How long a claim may wait for its attempt before it is returned, in milliseconds. */
const CLAIM_LIFE = 1000;
/** How long after its claim an attempt may begin, in milliseconds: well before the sweep takes its process for dead. */
const ATTEMPT_DEADLINE = 10_000;
/** The most attempts under way for a receiver that has not responded yet, and for a slow one among many. */
const FEW = 4;
/** From how many milliseconds of an attempt on a receiver is slow. */
const SLOW = 1000;

/**
 * A claimed delivery. Both times are of this process's monotonic clock: it was not claimed before `claimedAt`, and waits
 * for its attempt since `readyAt`. The database takes the time between them.
 */
export type Claim = { delivery: ClaimedDelivery; claimedAt: number; readyAt: number };

/** How fast a receiver is, as far as is known. */
export type Speed = 'unknown' | 'fast' | 'slow';

/**
 * A delivery that this process claims or has claimed, until it has ended or is back in the queue.
 * `ready` waits for its attempt, `returning` is being put back.
 */
export type InHand = {
  stage: 'claiming' | 'ready' | 'sending' | 'returning';
  /** Absent while it is being claimed. */
  claim?: Claim;
  /** What it counted as when it was claimed. */
  speed: Speed;
  bytes: number;
};

/**
 * What a lane knows of its deliveries in the database beyond its page:
 *
 * - `known`: there are none.
 * - `unread`: there may be some.
 * - `reading`: it reads a page.
 * - `stale`: it reads a page, and something was added meanwhile.
 * - `resting`: the database failed it a moment ago. There may be some.
 */
export type Backlog = 'known' | 'unread' | 'reading' | 'stale' | 'resting';

/** What this process does for one subscription. */
export type Lane = {
  subscriptionId: string;
  /** The next deliveries, as far as they are in memory. */
  page: QueuedDelivery[];
  backlog: Backlog;
  /** By the id of the delivery, the earliest claim first. */
  inHand: Map<string, InHand>;
  /** The most attempts under way. Shrinks when the receiver keeps timing out, grows back when it responds. */
  cap: number;
  /** Milliseconds that an attempt takes of late. Absent until one has ended. */
  pace: number | undefined;
  usedAt: number;
  /** When it was last tried during an outage. */
  triedAt: number;
  /** Whether it reads once more before it is closed. */
  hasLooked: boolean;
};

/** @param now by the monotonic clock, like every `now` here */
export const newLane = (subscriptionId: string, now: number): Lane => ({
  subscriptionId,
  page: [],
  backlog: 'known',
  inHand: new Map(),
  cap: MAX_ATTEMPTS,
  pace: undefined,
  usedAt: now,
  triedAt: 0,
  hasLooked: false,
});

/** Records that the lane has something to do. */
export const use = (lane: Lane, now: number): void => {
  lane.usedAt = now;
  lane.hasLooked = false;
};

/** Records that the database may have deliveries that the page does not have. */
export const markUnread = (lane: Lane): void => {
  if (lane.backlog === 'known') lane.backlog = 'unread';
  else if (lane.backlog === 'reading') lane.backlog = 'stale';
};

/**
 * Begins a rest after the database failed the lane. A lane that reads does not rest: it claims nothing meanwhile, and the
 * end of the read shows whether the database works.
 *
 * @returns whether the rest begins now
 */
export const beginRest = (lane: Lane): boolean => {
  markUnread(lane);
  if (lane.backlog !== 'unread') return false;
  lane.backlog = 'resting';
  return true;
};

/** Takes what was read into the page. */
export const takePage = (lane: Lane, page: readonly QueuedDelivery[], isAll: boolean): void => {
  lane.backlog = isAll && lane.backlog === 'reading' ? 'known' : 'unread';
  lane.page = page.filter(({ _id }) => !lane.inHand.has(_id));
};

/** Adds a delivery that has just been stored. The page may have `pageSize` of them. */
export const enqueue = (lane: Lane, delivery: QueuedDelivery, pageSize: number): void => {
  if (lane.backlog === 'known' && lane.page.length < pageSize) lane.page.push(delivery);
  else markUnread(lane);
};

/** Whether nothing waits in the lane, so that a new delivery may go first. */
export const isClear = ({ backlog, page }: Lane): boolean => backlog === 'known' && page.length === 0;

/** Whether the lane has had nothing to do for so many milliseconds. */
export const isIdleFor = (lane: Lane, milliseconds: number, now: number): boolean =>
  isClear(lane) && lane.inHand.size === 0 && now - lane.usedAt >= milliseconds;

export const speedOf = ({ pace }: Lane): Speed => {
  if (pace === undefined) return 'unknown';
  return pace < SLOW ? 'fast' : 'slow';
};

const capOf = (lane: Lane, isCrowded: boolean): number => {
  const speed = speedOf(lane);
  return speed === 'unknown' || (speed === 'slow' && isCrowded) ? Math.min(lane.cap, FEW) : lane.cap;
};

/**
 * The claim whose attempt is next, if the lane may begin another attempt.
 *
 * @param isCrowded whether slow receivers must leave room to each other; likewise below
 */
export const nextReady = (lane: Lane, isCrowded: boolean): InHand | undefined => {
  let slots = capOf(lane, isCrowded);
  let ready: InHand | undefined;
  for (const held of lane.inHand.values()) {
    if (held.stage === 'sending' && --slots <= 0) return undefined;
    if (held.stage === 'ready') ready ??= held;
  }
  return ready;
};

/** Whether a claim waits for its attempt. */
export const hasReady = ({ inHand }: Lane): boolean =>
  [...inHand.values()].some(({ stage }) => stage === 'ready');

/** Whether the lane may claim another: what it can begin at once, and more only for a receiver that responds fast. */
export const hasRoom = (lane: Lane, isCrowded: boolean): boolean => {
  const { pace = AHEAD, inHand, backlog } = lane;
  const cap = capOf(lane, isCrowded);
  const ahead = Math.min(MAX_CLAIMED, Math.round((cap * AHEAD) / pace));
  return backlog !== 'resting' && inHand.size < Math.max(cap, ahead);
};

export const isFresh = ({ readyAt }: Claim, now: number): boolean => now - readyAt < CLAIM_LIFE;

/** The time until which the attempt of a claim may begin. */
export const deadlineOf = ({ claimedAt }: Claim): number => claimedAt + ATTEMPT_DEADLINE;

/** The claims that have waited for too long. The receiver does not respond, so nothing is claimed ahead for it. */
export const findStale = (lane: Lane, now: number): InHand[] => {
  const stale = [...lane.inHand.values()].filter(
    ({ stage, claim }) => stage === 'ready' && claim !== undefined && !isFresh(claim, now),
  );
  if (stale.length > 0) lane.pace = Math.max(lane.pace ?? 0, CLAIM_LIFE);
  return stale;
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
