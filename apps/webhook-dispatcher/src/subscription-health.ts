import type { FailureCause } from '@chairside/domain';
import { MAX_LAST_CAUSES, type Streak } from '@chairside/mongodb';

/** How an attempt that counts ended. */
export type CountedAttempt = { subscriptionId: string; activation: number; cause?: FailureCause };

/**
 * What a group of attempts means for their subscriptions.
 *
 * @param attempts in the order in which they ended
 * @returns `healthy`: those whose last attempt succeeded; `streaks`: the failures after the last success of the others
 */
export const judge = (attempts: readonly CountedAttempt[]): { healthy: string[]; streaks: Streak[] } => {
  const streaks = new Map<string, Streak>();
  for (const { subscriptionId, activation, cause } of attempts) {
    const key = `${subscriptionId} ${activation}`;
    const streak = streaks.get(key) ?? {
      subscriptionId,
      activation,
      failures: 0,
      succeeded: false,
      lastCauses: [],
    };
    streaks.set(
      key,
      cause === undefined
        ? { ...streak, failures: 0, succeeded: true, lastCauses: [] }
        : {
            ...streak,
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
