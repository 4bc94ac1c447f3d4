import { MAX_ATTEMPTS_IN_FLIGHT, SLOWED_FROM_FAILURES } from '@chairside/domain';
import type { ClaimedDelivery, LaneRef, QueuedDelivery } from '@chairside/mongodb/dispatch';

/** Maximum number of deliveries of one subscription that a process has claimed. */
const MAX_CLAIMED = 100;
/**
 * A lane of a fast receiver claims as many deliveries as it sends within this time. If the process crashes, deliveries
 * that are claimed and not yet sent become `interrupted`.
 */
const AHEAD_MS = 50;
/** The weight of the last attempt in the average duration of a lane's attempts. */
const LAST_WEIGHT = 0.2;
/** How long a claim may wait for its attempt before it is returned to the queue. */
const CLAIM_LIFE_MS = 1000;
/**
 * How long after its claim an attempt may begin. It is well below the 30 s after which the
 * sweep marks the delivery as `interrupted`.
 */
const ATTEMPT_DEADLINE_MS = 10_000;
/**
 * Maximum number of attempts in flight for an unknown receiver, and for a slow receiver while much is claimed for slow
 * receivers.
 */
const FEW = 4;
/** A receiver counts as slow if its attempts take at least this long on average. */
const SLOW_MS = 1000;

/**
 * A claimed delivery. Both times are on this process's monotonic clock: `claimedAt` is before the claim was sent to the
 * database, `readyAt` is when its response arrived.
 */
export type Claim = { delivery: ClaimedDelivery; claimedAt: number; readyAt: number };

/** What limits the attempts in flight of each lane. */
export type Sharing = {
  /** Whether so much is claimed for slow receivers that each must leave room for the others. */
  isCrowded: boolean;
  /** The number of dispatchers that share the attempts in flight of each subscription, with this one. */
  dispatchers: number;
};

/** The speed of a receiver; `unknown` if its lane has no average duration of attempts yet. */
export type Speed = 'unknown' | 'fast' | 'slow';

/**
 * A delivery that this process claims or has claimed, until it has ended or is back in the queue.
 * In stage `ready` it waits for its attempt, in stage `returning` it is being requeued.
 */
export type InHand = {
  stage: 'claiming' | 'ready' | 'sending' | 'returning';
  /** Absent while the delivery is being claimed, unless it is claimed by its insert. */
  claim?: Claim;
  organizationId: string;
  /** The speed of its receiver when it was claimed. */
  speed: Speed;
  bytes: number;
};

/**
 * What a lane knows about its queued deliveries in the database that are not in its page:
 *
 * - `known`: there are none.
 * - `unread`: there may be some.
 * - `reading`: the lane is reading a page.
 * - `stale`: the lane is reading a page, and there may be deliveries that this page does not contain.
 * - `resting`: a database operation of the lane has just failed. There may be some.
 */
export type Backlog = 'known' | 'unread' | 'reading' | 'stale' | 'resting';

/**
 * The permit of a subscription that is slowed down, as its lane knows it. Only the dispatcher that has the permit may make an
 * attempt.
 *
 * - `free`: the lane may ask for it.
 * - `pending`: the lane is asking for it or giving it back.
 * - `waiting`: the lane asks again after a while, because of a pause or because another dispatcher has the permit.
 * - `held`: this process has it. `ignoresPause` if it was taken during a pause, for a test or a redelivery.
 */
export type Permit =
  | { state: 'free' | 'pending' }
  | { state: 'waiting'; isPause: boolean }
  | { state: 'held'; token: string; takenAt: number; ignoresPause: boolean };

/** The queue of one subscription in this process. */
export type Lane = LaneRef & {
  /** Queued deliveries in memory. They are claimed next. */
  page: QueuedDelivery[];
  backlog: Backlog;
  /** The deliveries in hand by id, the earliest claim first. */
  inHand: Map<string, InHand>;
  /**
   * Maximum number of attempts in flight, from 1 to 12. A timeout halves it; any other result of an attempt adds one.
   */
  cap: number;
  /** The failures in a row of the subscription, as far as this process knows; 0 if it is not active. */
  failures: number;
  permit: Permit;
  /** Whether its deliveries may not leave now. Nothing of it is claimed then. */
  isWithheld: boolean;
  /** The weighted average duration of attempts; undefined if there is none yet. */
  paceMs: number | undefined;
  usedAt: number;
  /** The time at which this lane last tried a delivery during an outage. */
  triedAt: number;
  /**
   * Whether the lane has read its backlog once more since it became idle. A lane must do this before it is
   * closed.
   */
  hasLooked: boolean;
};

/**
 * @param now time on the monotonic clock, like every `now` in this file
 * @param paceMs average duration of attempts in an earlier lane of this subscription
 */
export const newLane = ({ subscriptionId, organizationId }: LaneRef, now: number, paceMs?: number): Lane => ({
  subscriptionId,
  organizationId,
  page: [],
  backlog: 'known',
  inHand: new Map(),
  cap: MAX_ATTEMPTS_IN_FLIGHT,
  failures: 0,
  permit: { state: 'free' },
  isWithheld: false,
  paceMs,
  usedAt: now,
  triedAt: 0,
  hasLooked: false,
});

/** Records that the lane has something to do. */
export const use = (lane: Lane, now: number): void => {
  lane.usedAt = now;
  lane.hasLooked = false;
};

/** Records that the database may have deliveries that are not in the page. */
export const markUnread = (lane: Lane): void => {
  if (lane.backlog === 'known') lane.backlog = 'unread';
  else if (lane.backlog === 'reading') lane.backlog = 'stale';
};

/**
 * Begins a rest after a database operation of the lane failed. A lane that is reading does not rest: it claims nothing
 * meanwhile, and the result of the read shows whether the database works.
 *
 * @returns whether the rest begins now
 */
export const beginRest = (lane: Lane): boolean => {
  markUnread(lane);
  if (lane.backlog !== 'unread') return false;
  lane.backlog = 'resting';
  return true;
};

/** Replaces the page with deliveries that were read from the database. */
export const takePage = (lane: Lane, page: readonly QueuedDelivery[], isAll: boolean): void => {
  lane.backlog = isAll && lane.backlog === 'reading' ? 'known' : 'unread';
  lane.page = page.filter(({ _id }) => !lane.inHand.has(_id));
};

/** Adds a delivery that has just been stored. The page has at most `pageSize` deliveries. */
export const enqueue = (lane: Lane, delivery: QueuedDelivery, pageSize: number): void => {
  if (lane.backlog === 'known' && lane.page.length < pageSize) lane.page.push(delivery);
  else markUnread(lane);
};

/**
 * Records that the database may have deliveries that come before those in the page. A lane that is slowed down reads its
 * page again, because tests and redeliveries do not wait behind its events.
 */
export const markArrived = (lane: Lane): void => {
  markUnread(lane);
  if (isSlowed(lane)) lane.page = [];
};

/** Records that the deliveries of the lane may not leave now. They wait in the database. */
export const markWithheld = (lane: Lane): void => {
  markUnread(lane);
  lane.page = [];
  lane.isWithheld = true;
};

/** Whether no delivery waits to be claimed in this lane, so that a new delivery may be claimed at once. */
export const isClear = ({ backlog, page }: Lane): boolean => backlog === 'known' && page.length === 0;

/** Whether the lane has had nothing to do for this many milliseconds. */
export const isIdleFor = (lane: Lane, milliseconds: number, now: number): boolean =>
  isClear(lane) && lane.inHand.size === 0 && now - lane.usedAt >= milliseconds;

export const speedOf = ({ paceMs }: Lane): Speed => {
  if (paceMs === undefined) return 'unknown';
  return paceMs < SLOW_MS ? 'fast' : 'slow';
};

/** Whether the attempts of the subscription are made one at a time over all dispatchers. */
export const isSlowed = ({ failures }: Lane): boolean => failures >= SLOWED_FROM_FAILURES;

/** Whether the first delivery of the page is a test or a redelivery. These do not wait for a pause. */
export const isRequestedNext = ({ page: [first] }: Lane): boolean =>
  first !== undefined && first.kind !== 'event';

/**
 * Maximum number of attempts in flight. Failures reduce the share of this process, so that attempts in flight cannot
 * disable a subscription before it is slowed down.
 */
const capOf = (lane: Lane, { isCrowded, dispatchers }: Sharing): number => {
  if (isSlowed(lane)) return 1;
  const share = Math.max(1, Math.floor((MAX_ATTEMPTS_IN_FLIGHT - lane.failures) / dispatchers));
  const speed = speedOf(lane);
  const isFew = speed === 'unknown' || (speed === 'slow' && isCrowded);
  return Math.min(lane.cap, share, isFew ? FEW : MAX_ATTEMPTS_IN_FLIGHT);
};

/** The claim whose attempt is next, if the lane may begin another attempt. */
export const nextReady = (lane: Lane, sharing: Sharing): InHand | undefined => {
  let slots = capOf(lane, sharing);
  let ready: InHand | undefined;
  for (const held of lane.inHand.values()) {
    if (held.stage === 'sending' && --slots <= 0) return undefined;
    if (held.stage === 'ready') ready ??= held;
  }
  return ready;
};

/** The claims that wait for their attempts. */
export const readyIn = ({ inHand }: Lane): InHand[] =>
  [...inHand.values()].filter(({ stage }) => stage === 'ready');

/** Whether a claim waits for its attempt. */
export const hasReady = (lane: Lane): boolean => readyIn(lane).length > 0;

/**
 * Whether the lane may claim another delivery. It claims what it can send at once, and more only for a fast receiver.
 */
export const hasRoom = (lane: Lane, sharing: Sharing): boolean => {
  const { paceMs = AHEAD_MS, inHand, backlog } = lane;
  if (isSlowed(lane)) return false;
  const cap = capOf(lane, sharing);
  const ahead = Math.min(MAX_CLAIMED, Math.round((cap * AHEAD_MS) / paceMs));
  return backlog !== 'resting' && inHand.size < Math.max(cap, ahead);
};

export const isFresh = ({ readyAt }: Claim, now: number): boolean => now - readyAt < CLAIM_LIFE_MS;

/** The time until which the attempt of a claim may begin. A permit ends soon, too. */
export const deadlineOf = ({ claimedAt }: Claim, permit: Permit): number =>
  Math.min(claimedAt, permit.state === 'held' ? permit.takenAt : claimedAt) + ATTEMPT_DEADLINE_MS;

/**
 * The claims that have waited too long. If there are any, the receiver counts as slow, so its lane claims only
 * deliveries that it can send at once.
 */
export const findStale = (lane: Lane, now: number): InHand[] => {
  const stale = [...lane.inHand.values()].filter(
    ({ stage, claim }) => stage === 'ready' && claim !== undefined && !isFresh(claim, now),
  );
  if (stale.length > 0) lane.paceMs = Math.max(lane.paceMs ?? 0, CLAIM_LIFE_MS);
  return stale;
};

/** Updates cap and pace after an attempt of this duration. */
export const learn = (lane: Lane, timedOut: boolean, milliseconds: number): void => {
  lane.cap = timedOut ? Math.max(1, lane.cap >> 1) : Math.min(MAX_ATTEMPTS_IN_FLIGHT, lane.cap + 1);
  const { paceMs = AHEAD_MS } = lane;
  lane.paceMs = paceMs + LAST_WEIGHT * (milliseconds - paceMs);
};
