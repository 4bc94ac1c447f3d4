import type { Evidence, StoredDelivery } from './evidence.ts';
import { type Down, freeTime, overlaps } from './history.ts';
import {
  activationsOf,
  attemptAt,
  countedIn,
  createCounting,
  endAt,
  isFailure,
  isInterrupted,
} from './judge-disablings.ts';
import { COUNTING, FIRST_PAUSE, KNOWLEDGE } from './limits.ts';

/** Maximum number of attempts in flight for a subscription over all dispatchers. */
const MAX_IN_FLIGHT = 12;
/** From this number of failures in a row on, a subscription is slowed down. */
const SLOWED_FROM = 5;

/** The precision of the time at which an attempt began, in milliseconds. */
const PRECISION = 1;

/** When an attempt was over, in milliseconds since 1970. */
const overAt = (each: StoredDelivery): number => attemptAt(each) + (each.duration ?? 0);

/** The facts about the whole run. */
type Facts = {
  hindrances: readonly Down[];
  /** The number of dispatchers. One that has just started may make one attempt before the others have counted it. */
  dispatchers: number;
  hasCounted(delivery: StoredDelivery): boolean;
};

/** The periods of consecutive failures, each with the delivery that ends it, if there is one. */
const streaksIn = (attempts: readonly StoredDelivery[]): StoredDelivery[][] => {
  const streaks: StoredDelivery[][] = [[]];
  for (const each of attempts) {
    streaks.at(-1)?.push(each);
    if (!isFailure(each)) streaks.push([]);
  }
  return streaks;
};

/**
 * Checks that attempts in flight were never more than twelve, and neither were failures in a row and attempts in flight
 * together.
 *
 * @param attempts all attempts of a subscription
 * @param streaks the attempts of kind `event`, see `streaksIn`
 */
function* judgeInFlight(
  attempts: readonly StoredDelivery[],
  streaks: readonly StoredDelivery[][],
  { hindrances, dispatchers, hasCounted }: Facts,
): Generator<string> {
  const streakOf = new Map(streaks.flatMap((streak) => streak.map((each) => [each, streak] as const)));
  const free = attempts.filter(
    (each) => !hindrances.some((down) => overlaps(down, attemptAt(each), overAt(each))),
  );
  const limit = MAX_IN_FLIGHT + dispatchers - 1;
  for (const each of free) {
    const begin = attemptAt(each);
    const inFlight = free.filter(
      (other) => attemptAt(other) <= begin && overAt(other) - PRECISION > begin,
    ).length;
    const known = (streakOf.get(each) ?? []).filter(
      (other) => isFailure(other) && hasCounted(other) && endAt(other) + COUNTING + KNOWLEDGE < begin,
    ).length;
    const failures = known >= SLOWED_FROM ? 0 : known;
    if (inFlight + failures <= limit) continue;
    yield `had ${inFlight} attempts in flight after ${known} failures: ${each._id}`;
    return;
  }
}

/**
 * Checks that a subscription that was slowed down got one attempt at a time, each after a pause.
 *
 * @param streak attempts of kind `event` in the order in which they ended
 * @param tests the attempts of other kinds that succeeded, which end a pause
 */
function* judgeSlowed(
  streak: readonly StoredDelivery[],
  tests: readonly StoredDelivery[],
  { hindrances, hasCounted }: Facts,
): Generator<string> {
  const fifth = streak.filter((each) => isFailure(each) && hasCounted(each))[SLOWED_FROM - 1];
  if (fifth === undefined) return;
  const late = streak
    .filter((each) => !isInterrupted(each))
    .filter((each) => freeTime(hindrances, endAt(fifth), attemptAt(each)) > COUNTING + KNOWLEDGE)
    .sort((one, other) => attemptAt(one) - attemptAt(other));
  for (const [index, each] of late.entries()) {
    const before = late[index - 1];
    if (before === undefined || !hasCounted(before)) continue;
    const [from, until] = [overAt(before), attemptAt(each)];
    if (until - from >= FIRST_PAUSE / 2) continue;
    const isExcused =
      hindrances.some((down) => overlaps(down, attemptAt(before), until)) ||
      tests.some((test) => endAt(test) >= attemptAt(before) && overAt(test) <= until);
    if (isExcused) continue;
    yield `was slowed down and got an attempt ${until - from} ms after a failure: ${each._id}`;
    return;
  }
}

/** Checks when attempts began: how many were in flight, and how failing receivers were slowed down. */
export function* judgePacing(evidence: Evidence): Generator<string> {
  const { deliveries, subscriptions, disablings, lives } = evidence;
  const facts: Facts = {
    dispatchers: new Set(lives.map(({ target }) => target)).size,
    ...createCounting(evidence),
  };
  const attempted = deliveries
    .filter(({ attemptTime }) => attemptTime !== undefined)
    .sort((left, right) => endAt(left) - endAt(right));
  const attemptsOf = Map.groupBy(attempted, ({ subscriptionId }) => subscriptionId);
  const counted = countedIn(evidence);
  const disablingsOf = Map.groupBy(disablings, ({ subscriptionId }) => subscriptionId);
  for (const { _id, receiver } of subscriptions) {
    const attempts = attemptsOf.get(_id) ?? [];
    const events = counted.get(_id) ?? [];
    const tests = attempts.filter((each) => each.kind !== 'event' && !isFailure(each));
    const streaks = activationsOf(disablingsOf.get(_id) ?? []).flatMap(({ by, until }) =>
      streaksIn(events.filter((each) => attemptAt(each) > by + KNOWLEDGE && attemptAt(each) < until)),
    );
    for (const what of judgeInFlight(attempts, streaks, facts)) yield `${receiver} ${what}`;
    for (const streak of streaks)
      for (const what of judgeSlowed(streak, tests, facts)) yield `${receiver} ${what}`;
  }
}
