import { unseenEndsOf } from './behaviours.ts';
import type { Disabling } from './disablings.ts';
import type { Evidence, StoredDelivery } from './evidence.ts';
import { type Down, freeTime, hindrancesOf, isDispatcher, type Life, lifeIn, overlaps } from './history.ts';
import { KNOWLEDGE, SILENCE, STORING, WAITING } from './limits.ts';
import type { Seen } from './receivers.ts';

/**
 * Whether the crash of its process explains that the outcome of a delivery is unknown: the delivery was claimed, and
 * the process crashed before it could store the outcome. A process that is only paused stores the outcome afterwards.
 */
const hasDiedOver = (
  claimedAt: number,
  post: Seen | undefined,
  { target, diedAt }: Life,
  downs: readonly Down[],
): boolean => {
  if (diedAt === undefined) return false;
  const hindrances = hindrancesOf(downs, (name) => name === target);
  const isOver = post === undefined ? claimedAt + WAITING : post.at + post.lasts;
  return (
    freeTime(hindrances, isOver, diedAt) <= STORING &&
    // A claim or a request in flight may arrive after the crash. If the receiver saw a request, the claim came before
    // it. In this case, the time of the claim may be too late by the time that the process took to read the clock of
    // the database.
    freeTime(hindrances, diedAt, post?.at ?? claimedAt) <= STORING
  );
};

/**
 * Whether the claim was stored after its process had given it up. This happens if the claim was in flight while
 * the database was down; the process then logged an error. In this case no process has sent the delivery.
 */
const cameTooLate = (claimedAt: number, { errors }: Life, downs: readonly Down[]): boolean =>
  hindrancesOf(downs, () => false).some(
    (down) =>
      down.target === 'mongodb' &&
      overlaps(down, claimedAt, claimedAt + STORING) &&
      errors.some((time) => overlaps(down, time, time)),
  );

/** The facts of a run that the outcome of each delivery is compared with. */
type Facts = {
  downs: readonly Down[];
  lifeOf(delivery: StoredDelivery): Life | undefined;
  /** The name of the receiver of a delivery. */
  receiverOf(delivery: StoredDelivery): string;
  /** The request that the receiver saw. */
  postOf(delivery: StoredDelivery): Seen | undefined;
  /** When the subscription of a delivery was disabled. */
  disablingsOf(delivery: StoredDelivery): readonly Disabling[];
};

const factsOf = ({ lives, downs, seen, subscriptions, disablings }: Evidence): Facts => {
  const receivers = new Map(subscriptions.map(({ _id, receiver }) => [_id, receiver]));
  const posts = new Map(seen.map((post) => [post.deliveryId, post]));
  const disabled = Map.groupBy(disablings, ({ subscriptionId }) => subscriptionId);
  return {
    downs,
    lifeOf: lifeIn(lives),
    receiverOf: ({ subscriptionId }) => receivers.get(subscriptionId) ?? 'unknown',
    postOf: ({ _id }) => posts.get(_id),
    disablingsOf: ({ subscriptionId }) => disabled.get(subscriptionId) ?? [],
  };
};

/** The fact that contradicts an outcome; undefined if there is none. */
type Contradiction = string | undefined;

const judgeInterrupted = (delivery: StoredDelivery, { downs, lifeOf, postOf }: Facts): Contradiction => {
  const claimedAt = delivery.claimedAt?.getTime();
  const life = lifeOf(delivery);
  const post = postOf(delivery);
  if (claimedAt === undefined || life === undefined) return 'but no process had claimed it';
  if ((delivery.finalTime?.getTime() ?? 0) - claimedAt < SILENCE) return 'too early';
  if (hasDiedOver(claimedAt, post, life, downs)) return undefined;
  if (post === undefined && cameTooLate(claimedAt, life, downs)) return undefined;
  return 'but its process was alive and could store the outcome';
};

const judgeSkipped = (delivery: StoredDelivery, { downs, postOf, disablingsOf }: Facts): Contradiction => {
  if (postOf(delivery) !== undefined) return 'but it was sent';
  if (delivery.kind !== 'event') return 'but the operator requested it';
  // No subscription is deleted, and no event is old enough to expire.
  if (delivery.cause !== 'subscription_disabled') return 'without a reason for it';
  const time = delivery.finalTime?.getTime() ?? 0;
  const hindrances = hindrancesOf(downs, isDispatcher);
  const wasDisabled = disablingsOf(delivery).some(
    ({ at, enabledBy }) => at <= time && freeTime(hindrances, enabledBy, time) <= KNOWLEDGE + STORING,
  );
  return wasDisabled ? undefined : 'but its subscription was active';
};

/**
 * Whether the process or the receivers were paused during the attempt, so that a response may have arrived too late.
 */
const stoodStill = (delivery: StoredDelivery, { downs, lifeOf }: Facts): boolean => {
  const begin = delivery.attemptTime?.getTime() ?? 0;
  return hindrancesOf(downs, (name) => name === lifeOf(delivery)?.target).some(
    (down) => down.target !== 'mongodb' && overlaps(down, begin, begin + (delivery.duration ?? 0)),
  );
};

const judgeAttempt = (delivery: StoredDelivery, facts: Facts): Contradiction => {
  const post = facts.postOf(delivery);
  const ending = delivery.status === 'succeeded' ? delivery.status : (delivery.cause ?? '');
  if (ending === 'succeeded' && post?.isWhole === false) return 'but the receiver got only a part';
  if ((post?.ends ?? unseenEndsOf(facts.receiverOf(delivery))).includes(ending)) return undefined;
  if (ending === 'timeout' && stoodStill(delivery, facts)) return undefined;
  return `the receiver disagrees (${post?.ends ?? 'saw nothing'})`;
};

/** The check of a delivery, by its status. */
const RULES: Readonly<Record<string, (delivery: StoredDelivery, facts: Facts) => Contradiction>> = {
  succeeded: judgeAttempt,
  failed: judgeAttempt,
  skipped: judgeSkipped,
  interrupted: judgeInterrupted,
};

/** Checks that the fields of a delivery are complete and agree with each other. */
function* judgeFields({ status, cause, reason, attemptTime }: StoredDelivery): Generator<string> {
  if (RULES[status] === undefined) yield 'not final';
  if (attemptTime === undefined && cause === undefined && reason === undefined) yield 'has no reason';
  const isAttempt = status === 'succeeded' || status === 'failed';
  if (isAttempt !== (attemptTime !== undefined)) yield 'status and attemptTime contradict each other';
}

/**
 * Checks that the outcome of each delivery is consistent with the requests that its receiver saw and with the faults of
 * its process.
 */
export function* judgeOutcomes(evidence: Evidence): Generator<string> {
  const facts = factsOf(evidence);
  for (const delivery of evidence.deliveries) {
    const { _id, status, cause } = delivery;
    const what = `delivery ${_id} for ${facts.receiverOf(delivery)}: ${status} ${cause ?? ''}`;
    for (const problem of judgeFields(delivery)) yield `${what}: ${problem}`;
    const contradiction = RULES[status]?.(delivery, facts);
    if (contradiction !== undefined) yield `${what}: ${contradiction}`;
  }
}
