import type { FailureCause } from '@chairside/domain';
import { MAX_LAST_CAUSES, type Streak } from '@chairside/mongodb/dispatch';

/**
 * The result of a delivery that counts for the health of its subscription. `cause` is absent after a success, `permit` is
 * the token of the permit of a subscription that was slowed down.
 */
export type CountedAttempt = {
  subscriptionId: string;
  activation: number;
  cause?: FailureCause;
  permit?: string | undefined;
};

/**
 * Evaluates a group of results, separately for each activation of a subscription.
 *
 * @param attempts in the order in which they ended
 * @returns `healthy`: the subscriptions whose last result is a success; `streaks`: for the others, the failures after
 *   the last success
 */
export const judge = (attempts: readonly CountedAttempt[]): { healthy: string[]; streaks: Streak[] } => {
  const streaks = new Map<string, Streak>();
  for (const { subscriptionId, activation, cause, permit } of attempts) {
    const key = `${subscriptionId} ${activation}`;
    const streak = streaks.get(key) ?? {
      subscriptionId,
      activation,
      failures: 0,
      succeeded: false,
      lastCauses: [],
      permits: [],
    };
    const permits = permit === undefined ? streak.permits : [...streak.permits, permit];
    streaks.set(
      key,
      cause === undefined
        ? { ...streak, failures: 0, succeeded: true, lastCauses: [], permits }
        : {
            ...streak,
            permits,
            failures: streak.failures + 1,
            lastCauses: [...streak.lastCauses, cause].slice(-MAX_LAST_CAUSES),
          },
    );
  }
  const all = [...streaks.values()];
  return {
    healthy: all.filter(({ failures }) => failures === 0).map(({ subscriptionId }) => subscriptionId),
    streaks: all.filter(({ failures }) => failures > 0),
  };
};
