import type { Evidence, StoredDelivery } from './evidence.ts';
import { type Down, freeTime, hindrancesOf, isDispatcher, type Life, lifeIn, overlaps } from './history.ts';
import { type Seen, unseenEndsOf } from './receivers.ts';

const FINAL = ['succeeded', 'failed', 'skipped', 'interrupted'];
/** What work may take that takes no time, on a machine that others use, in milliseconds. */
export const SLACK = 5000;
/** How long a claim waits for its attempt until it is given back, in milliseconds. */
const WAITING = 1000 + 500;
/** How long it may take to store how an attempt ended, or that there was none, in milliseconds. */
const STORING = 1500;
/** Longer than from a claim to its stored outcome, in milliseconds: 10 s until an attempt begins, 5 s for it, 1 s for its answer. */
const CLAIM_LIFE = 10_000 + 5000 + 1000 + SLACK;
/** How long after its claim a Delivery is told to be interrupted at the earliest, in milliseconds, less what clocks differ. */
const SILENCE = 30_000 - 500;

/**
 * Whether the end of its process explains that nobody knows how a Delivery ended: it was claimed, and the process had
 * no time to tell before it died. One that only stands still tells it afterwards.
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
    // A claim or a request that was on its way may come after the end.
    freeTime(hindrances, diedAt, Math.max(claimedAt, post?.at ?? 0)) <= SLACK
  );
};

/** Whether its process could not store what it knew, and said so: the database refused it, or took it too late. */
const hasLostIt = (claimedAt: number, life: Life, downs: readonly Down[]): boolean => {
  const wasAway = downs.filter(({ target }) => target === 'mongodb');
  const hindrances = hindrancesOf(downs, (name) => name === life.target);
  const isNear = (time: number): boolean =>
    time >= claimedAt - SLACK && freeTime(hindrances, claimedAt, time) <= CLAIM_LIFE;
  return (
    life.errors.some(isNear) &&
    wasAway.some((down) => isNear(down.from) || overlaps(down, claimedAt - SLACK, claimedAt))
  );
};

/** What each Delivery says agrees with what its receiver saw and with what was done to its process. */
export function* judgeOutcomes(evidence: Evidence): Generator<string> {
  const { seen, deliveries, subscriptions, disablings, downs } = evidence;
  const lifeOf = lifeIn(evidence.lives);
  const receivers = new Map(subscriptions.map(({ _id, receiver }) => [_id, receiver]));
  const byId = new Map(seen.map((post) => [post.deliveryId, post]));
  const disabled = Map.groupBy(disablings, ({ subscriptionId }) => subscriptionId);
  const anybody = hindrancesOf(downs, isDispatcher);

  const judgeInterrupted = (delivery: StoredDelivery, post?: Seen): string | undefined => {
    const claimedAt = delivery.claimedAt?.getTime();
    const life = lifeOf(delivery);
    if (claimedAt === undefined || life === undefined) return 'but nobody had claimed it';
    if ((delivery.finalTime?.getTime() ?? 0) - claimedAt < SILENCE) return 'too early to know';
    if (hasDiedOver(claimedAt, post, life, downs) || hasLostIt(claimedAt, life, downs)) return undefined;
    return 'but its process lived and could tell';
  };

  const judgeSkipped = ({ kind, cause, finalTime, subscriptionId }: StoredDelivery, post?: Seen) => {
    if (post !== undefined) return 'but it was sent';
    if (kind !== 'event') return 'but an operator asked for it';
    // No subscription is deleted, and no event is old enough to expire.
    if (cause !== 'subscription_disabled') return 'which nobody has caused';
    const time = finalTime?.getTime() ?? 0;
    const wasDisabled = (disabled.get(subscriptionId) ?? []).some(
      ({ at, enabledBy }) => at <= time && freeTime(anybody, enabledBy, time) <= SLACK,
    );
    return wasDisabled ? undefined : 'but its subscription was active';
  };

  /** Whether somebody stood still while it was attempted, and saw nothing in time, whatever was answered. */
  const stoodStill = (delivery: StoredDelivery): boolean => {
    const begin = delivery.attemptTime?.getTime() ?? 0;
    return hindrancesOf(downs, (name) => name === lifeOf(delivery)?.target).some(
      (down) => down.target !== 'mongodb' && overlaps(down, begin, begin + (delivery.duration ?? 0)),
    );
  };
  const judgeAttempt = (delivery: StoredDelivery, receiver: string, post?: Seen): string | undefined => {
    const ending = delivery.status === 'succeeded' ? delivery.status : (delivery.cause ?? '');
    if (ending === 'succeeded' && post?.isWhole === false) return 'but not all of it came';
    if ((post?.ends ?? unseenEndsOf(receiver)).includes(ending)) return undefined;
    if (ending === 'timeout' && stoodStill(delivery)) return undefined;
    return `the receiver knows better (${post?.ends ?? 'saw nothing'})`;
  };

  for (const delivery of deliveries) {
    const { _id, status, cause, reason, attemptTime, subscriptionId } = delivery;
    const receiver = receivers.get(subscriptionId) ?? 'nobody';
    const what = `Delivery ${_id} for ${receiver}: ${status} ${cause ?? ''}`;
    const post = byId.get(_id);
    if (!FINAL.includes(status)) yield `${what}: not final`;
    if (attemptTime === undefined && cause === undefined && reason === undefined)
      yield `${what}: does not say why`;
    const isAttempt = status === 'succeeded' || status === 'failed';
    if (isAttempt !== (attemptTime !== undefined)) yield `${what}: attempted or not?`;
    const broken =
      (isAttempt && judgeAttempt(delivery, receiver, post)) ||
      (status === 'skipped' && judgeSkipped(delivery, post)) ||
      (status === 'interrupted' && judgeInterrupted(delivery, post));
    if (broken) yield `${what}: ${broken}`;
  }
}
