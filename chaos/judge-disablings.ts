import { causesInWords, type FailureCause } from '@chairside/domain';
import { isHealthy } from './behaviours.ts';
import type { Disabling } from './disablings.ts';
import type { Evidence, StoredDelivery } from './evidence.ts';
import { type Down, freeTime, hindrancesOf, isDispatcher, lifeIn, overlaps } from './history.ts';
import { COUNTING, KNOWLEDGE, STORING } from './limits.ts';

/** The failures in a row that disable a subscription (service description, Delivery behaviour 2). */
const MAX_FAILURES = 20;

/** When an attempt began, in milliseconds since 1970. */
export const attemptAt = ({ attemptTime }: StoredDelivery): number => attemptTime?.getTime() ?? 0;
/** When the outcome of a delivery was stored, in milliseconds since 1970. */
export const endAt = ({ finalTime }: StoredDelivery): number => finalTime?.getTime() ?? 0;
export const isFailure = ({ status }: StoredDelivery): boolean => status === 'failed';
export const isInterrupted = ({ status }: StoredDelivery): boolean => status === 'interrupted';

/** A period in which attempts counted for a subscription, until it was disabled. Milliseconds since 1970. */
type Activation = { from: number; by: number; until: number };
export const activationsOf = (disablings: readonly Disabling[]): Activation[] => {
  const never = Number.POSITIVE_INFINITY;
  const begins = [{ enabledFrom: 0, enabledBy: 0 }, ...disablings];
  return begins.map(({ enabledFrom, enabledBy }, index) => ({
    from: enabledFrom,
    by: enabledBy,
    until: disablings[index]?.at ?? never,
  }));
};

/** The facts about the whole run. */
type Facts = {
  hindrances: readonly Down[];
  /** Whether an attempt has certainly been counted. */
  hasCounted(delivery: StoredDelivery): boolean;
};

/**
 * The deliveries of kind `event` that may have changed the streaks of their subscriptions, by subscription, in the order
 * in which they ended. A process that crashed may have counted a success without storing the outcome, so an interrupted
 * delivery that its receiver accepted is present, too: its attempt begins with its claim and ends with the process.
 */
export const countedIn = ({ deliveries, lives, seen }: Evidence): Map<string, StoredDelivery[]> => {
  const lifeOf = lifeIn(lives);
  const accepted = new Set(
    seen.filter(({ ends }) => ends.includes('succeeded')).map(({ deliveryId }) => deliveryId),
  );
  const counted = deliveries
    .filter(({ kind }) => kind === 'event')
    .flatMap((each): StoredDelivery[] => {
      if (each.attemptTime !== undefined) return [each];
      if (!isInterrupted(each) || !accepted.has(each._id) || each.claimedAt === undefined) return [];
      const diedAt = lifeOf(each)?.diedAt;
      const attemptTime = each.claimedAt;
      return [{ ...each, attemptTime, ...(diedAt !== undefined && { finalTime: new Date(diedAt) }) }];
    })
    .sort((left, right) => endAt(left) - endAt(right));
  return Map.groupBy(counted, ({ subscriptionId }) => subscriptionId);
};

export const createCounting = ({ lives, downs }: Evidence): Facts => {
  const lifeOf = lifeIn(lives);
  const hindrances = hindrancesOf(downs, isDispatcher);
  return {
    hindrances,
    // A delivery has counted if, around the end of its attempt, its process was alive, the database was up and no
    // dispatcher was paused.
    hasCounted(delivery) {
      const [begin, end] = [endAt(delivery) - COUNTING, endAt(delivery) + COUNTING];
      const diedAt = lifeOf(delivery)?.diedAt;
      const hasDied = diedAt !== undefined && diedAt >= begin && diedAt <= end;
      return !hasDied && !hindrances.some((down) => overlaps(down, begin, end));
    },
  };
};

/**
 * Checks that a disabled subscription had twenty failures in a row since it was enabled, and that the reason names
 * their causes.
 */
function* judgeReason(
  { at, reason }: Disabling,
  enabledFrom: number,
  attempts: readonly StoredDelivery[],
  { hasCounted }: Facts,
): Generator<string> {
  // The process that disabled the subscription recorded the time before it stored the change. Failures
  // that other processes stored in between were counted before the disabling.
  const earlier = attempts.filter((each) => attemptAt(each) >= enabledFrom && endAt(each) <= at + COUNTING);
  const last = earlier.filter(isFailure).slice(-MAX_FAILURES);
  const [first] = last;
  if (first === undefined || last.length < MAX_FAILURES) {
    yield `was disabled after ${last.length} failures`;
    return;
  }
  const [begin, end] = [endAt(first) + COUNTING, at - COUNTING];
  const between = earlier.filter((each) => endAt(each) > begin && endAt(each) < end);
  if (between.some((each) => !isFailure(each) && hasCounted(each)))
    yield 'was disabled despite a success in between';
  const causes = /^Disabled after 20 failed deliveries in a row\. The last causes: (.+)\.$/.exec(reason)?.[1];
  const seen = new Set(last.map(({ cause }) => causesInWords[cause as FailureCause]));
  if (!causes?.split('; ').every((cause) => seen.has(cause)))
    yield `was disabled for another reason: ${reason}`;
}

/**
 * Checks that no event was sent for a disabled subscription before an operator asked to enable it, apart from requests
 * that began just after it was disabled.
 */
function* judgeSilence(
  { at, enabledFrom }: Disabling,
  attempts: readonly StoredDelivery[],
  { hindrances }: Facts,
): Generator<string> {
  const late = attempts.filter(
    (each) =>
      attemptAt(each) < enabledFrom && freeTime(hindrances, at, attemptAt(each)) > STORING + KNOWLEDGE,
  );
  if (late.length > 0) yield `was sent ${late.length} events while it was disabled: ${late[0]?._id}`;
}

/** Checks that a subscription with twenty failures in a row was disabled. */
function* judgeActivation(
  { by, until }: Activation,
  attempts: readonly StoredDelivery[],
  { hindrances, hasCounted }: Facts,
): Generator<string> {
  const sure = attempts.filter((each) => attemptAt(each) > by + KNOWLEDGE && attemptAt(each) < until);
  let failures = 0;
  let reachedAt = Number.POSITIVE_INFINITY;
  for (const each of sure) {
    if (!isFailure(each)) return;
    if (hasCounted(each) && ++failures === MAX_FAILURES) reachedAt = endAt(each);
    if (freeTime(hindrances, reachedAt, attemptAt(each)) <= COUNTING + KNOWLEDGE) continue;
    yield `has failed ${MAX_FAILURES} times in a row and was not disabled: ${each._id}`;
    return;
  }
}

/** @param counted see `countedIn` */
function* judgeSubscription(
  counted: readonly StoredDelivery[],
  disablings: readonly Disabling[],
  facts: Facts,
): Generator<string> {
  const attempts = counted.filter((each) => !isInterrupted(each));
  const activations = activationsOf(disablings);
  for (const [index, disabling] of disablings.entries()) {
    const { from } = activations[index] as Activation;
    yield* judgeReason(disabling, from, attempts, facts);
  }
  for (const disabling of disablings) yield* judgeSilence(disabling, attempts, facts);
  for (const activation of activations) yield* judgeActivation(activation, counted, facts);
}

/**
 * Checks that the disablings agree with the attempts, and that the subscription of a healthy receiver was never
 * disabled.
 */
export function* judgeDisablings(evidence: Evidence): Generator<string> {
  const { subscriptions, disablings } = evidence;
  const facts = createCounting(evidence);
  const counted = countedIn(evidence);
  const disablingsOf = Map.groupBy(disablings, ({ subscriptionId }) => subscriptionId);
  for (const { _id, receiver } of subscriptions) {
    const own = disablingsOf.get(_id) ?? [];
    if (isHealthy(receiver) && own.length > 0) yield `${receiver} was disabled, but is healthy`;
    for (const what of judgeSubscription(counted.get(_id) ?? [], own, facts)) yield `${receiver} ${what}`;
  }
}
