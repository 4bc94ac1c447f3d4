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
    // A crashed process may have counted a success without storing the outcome. So the check ends at the
    // first delivery that is not a failure.
    if (!isFailure(each)) return;
    if (hasCounted(each) && ++failures === MAX_FAILURES) reachedAt = endAt(each);
    if (freeTime(hindrances, reachedAt, attemptAt(each)) <= COUNTING + KNOWLEDGE) continue;
    yield `has failed ${MAX_FAILURES} times in a row and was not disabled: ${each._id}`;
    return;
  }
}

/** @param attempts the attempts of a subscription that count, in the order in which they ended */
function* judgeSubscription(
  attempts: readonly StoredDelivery[],
  disablings: readonly Disabling[],
  facts: Facts,
): Generator<string> {
  const activations = activationsOf(disablings);
  for (const [index, disabling] of disablings.entries()) {
    const { from } = activations[index] as Activation;
    yield* judgeReason(disabling, from, attempts, facts);
  }
  for (const disabling of disablings) yield* judgeSilence(disabling, attempts, facts);
  for (const activation of activations) yield* judgeActivation(activation, attempts, facts);
}

/**
 * Checks that the disablings agree with the attempts, and that the subscription of a healthy receiver was never
 * disabled.
 */
export function* judgeDisablings(evidence: Evidence): Generator<string> {
  const { deliveries, subscriptions, disablings } = evidence;
  const facts = createCounting(evidence);
  const counted = deliveries
    .filter(({ kind, attemptTime }) => kind === 'event' && attemptTime !== undefined)
    .sort((left, right) => endAt(left) - endAt(right));
  const attemptsOf = Map.groupBy(counted, ({ subscriptionId }) => subscriptionId);
  const disablingsOf = Map.groupBy(disablings, ({ subscriptionId }) => subscriptionId);
  for (const { _id, receiver } of subscriptions) {
    const own = disablingsOf.get(_id) ?? [];
    if (isHealthy(receiver) && own.length > 0) yield `${receiver} was disabled, but is healthy`;
    for (const what of judgeSubscription(attemptsOf.get(_id) ?? [], own, facts)) yield `${receiver} ${what}`;
  }
}
