import { unseenEndsOf } from './behaviours.ts';
import type { Evidence, StoredDelivery } from './evidence.ts';
import { type Down, freeTime, hindrancesOf, isDispatcher, type Life, lifeIn, overlaps } from './history.ts';
import { KNOWLEDGE, SILENCE, STORING, WAITING } from './limits.ts';
import type { Seen } from './receivers.ts';

const FINAL = ['succeeded', 'failed', 'skipped', 'interrupted'];

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
    // A claim or a request in flight may arrive after the crash. A request proves that the claim was before it; the time
    // of the claim may be ahead then, by the time that the process took to read the clock of the database.
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

/**
 * The outcome of each delivery is consistent with the requests that its receiver saw and with the faults of its
 * process.
 */
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
    if (claimedAt === undefined || life === undefined) return 'but no process had claimed it';
    if ((delivery.finalTime?.getTime() ?? 0) - claimedAt < SILENCE) return 'too early';
    if (hasDiedOver(claimedAt, post, life, downs)) return undefined;
    if (post === undefined && cameTooLate(claimedAt, life, downs)) return undefined;
    return 'but its process was alive and could store the outcome';
  };

  const judgeSkipped = ({ kind, cause, finalTime, subscriptionId }: StoredDelivery, post?: Seen) => {
    if (post !== undefined) return 'but it was sent';
    if (kind !== 'event') return 'but the operator requested it';
    // No subscription is deleted, and no event is old enough to expire.
    if (cause !== 'subscription_disabled') return 'without a reason for it';
    const time = finalTime?.getTime() ?? 0;
    const wasDisabled = (disabled.get(subscriptionId) ?? []).some(
      ({ at, enabledBy }) => at <= time && freeTime(anybody, enabledBy, time) <= KNOWLEDGE + STORING,
    );
    return wasDisabled ? undefined : 'but its subscription was active';
  };

  /**
   * Whether the process or the receivers were paused during the attempt, so that a response may have arrived too late.
   */
  const stoodStill = (delivery: StoredDelivery): boolean => {
    const begin = delivery.attemptTime?.getTime() ?? 0;
    return hindrancesOf(downs, (name) => name === lifeOf(delivery)?.target).some(
      (down) => down.target !== 'mongodb' && overlaps(down, begin, begin + (delivery.duration ?? 0)),
    );
  };
  const judgeAttempt = (delivery: StoredDelivery, receiver: string, post?: Seen): string | undefined => {
    const ending = delivery.status === 'succeeded' ? delivery.status : (delivery.cause ?? '');
    if (ending === 'succeeded' && post?.isWhole === false) return 'but the receiver got only a part';
    if ((post?.ends ?? unseenEndsOf(receiver)).includes(ending)) return undefined;
    if (ending === 'timeout' && stoodStill(delivery)) return undefined;
    return `the receiver disagrees (${post?.ends ?? 'saw nothing'})`;
  };

  for (const delivery of deliveries) {
    const { _id, status, cause, reason, attemptTime, subscriptionId } = delivery;
    const receiver = receivers.get(subscriptionId) ?? 'unknown';
    const what = `delivery ${_id} for ${receiver}: ${status} ${cause ?? ''}`;
    const post = byId.get(_id);
    if (!FINAL.includes(status)) yield `${what}: not final`;
    if (attemptTime === undefined && cause === undefined && reason === undefined)
      yield `${what}: has no reason`;
    const isAttempt = status === 'succeeded' || status === 'failed';
    if (isAttempt !== (attemptTime !== undefined))
      yield `${what}: status and attemptTime contradict each other`;
    const broken =
      (isAttempt && judgeAttempt(delivery, receiver, post)) ||
      (status === 'skipped' && judgeSkipped(delivery, post)) ||
      (status === 'interrupted' && judgeInterrupted(delivery, post));
    if (broken) yield `${what}: ${broken}`;
  }
}
