import { type DeliveryKind, grouped } from '@chairside/domain';
import {
  type ClaimedDelivery,
  type EveryOrganization,
  isDatabaseAway,
  type Outcome,
} from '@chairside/mongodb';
import { type CountedAttempt, judge } from './subscription-health.ts';

/** The most Deliveries that share a round trip. */
const MAX_GROUP = 200;
/** How long to wait before an outcome is stored again while the database is away, in milliseconds. */
const RETRY_DELAY = 1000;
/** How often an outcome is stored again that the database refuses: what is behind it may be away (FerretDB's PostgreSQL). */
const MAX_REFUSALS = 3;
/** Only attempts of this kind say how healthy a subscription is. */
const COUNTED: DeliveryKind = 'event';

/** A claimed Delivery at its end. */
export type Ended = { delivery: ClaimedDelivery; outcome: Outcome; activation: number };

export type OutcomesOptions = Pick<EveryOrganization, 'deliveries' | 'receivers'> & {
  onDisabled(subscriptionId: string): void;
  onError(error: unknown): void;
};

/** Stores how Deliveries ended, and what that means for their subscriptions; each group in one round trip. */
export type Outcomes = {
  finish(ended: Ended): Promise<void>;
  /**
   * Takes back what our own outage has failed, as if it had never been claimed: nothing was sent.
   *
   * @param wasFinished whether `finish` was called for it before
   */
  takeBack(ended: Ended, wasFinished: boolean): Promise<void>;
};

type Entry = Ended & { state: 'final' | 'unsent' | 'unsent, but finished' };

const toCounted = ({ delivery, outcome, activation }: Ended): CountedAttempt[] => {
  const { kind, subscriptionId } = delivery;
  if (kind !== COUNTED || outcome.outcome === 'skipped') return [];
  return [{ subscriptionId, activation, ...(outcome.outcome === 'failed' && { cause: outcome.cause }) }];
};

/** What to store of a group: one that is taken back in the same group was never stored. */
const sorted = (group: readonly Entry[]) => {
  const unsent = group.filter(({ state }) => state !== 'final');
  const unsentIds = new Set(unsent.map(({ delivery }) => delivery._id));
  const all = group.filter(({ state }) => state === 'final');
  const inGroup = new Set(all.map(({ delivery }) => delivery._id));
  return {
    unsent,
    final: all.filter(({ delivery }) => !unsentIds.has(delivery._id)),
    counted: unsent.filter(
      ({ state, delivery }) => state === 'unsent, but finished' && !inGroup.has(delivery._id),
    ),
  };
};

export const createOutcomes = (options: OutcomesOptions): Outcomes => {
  const { deliveries, receivers, onDisabled, onError } = options;

  const countStreaks = async (final: readonly Ended[]): Promise<void> => {
    const { healthy, streaks } = judge(final.flatMap(toCounted));
    if (healthy.length > 0) await receivers.clearStreaks(healthy);
    await Promise.all(
      streaks.map(async (streak) => {
        if (!(await receivers.addFailures(streak, new Date()))) return;
        onDisabled(streak.subscriptionId);
        await deliveries.skipQueued(streak.subscriptionId, 'subscription_disabled', new Date());
      }),
    );
  };

  const forgive = async (counted: readonly Ended[]): Promise<void> => {
    const { streaks } = judge(counted.flatMap(toCounted));
    await Promise.all(streaks.map((streak) => receivers.takeBackFailures(streak)));
  };

  const store = grouped<Entry, void>(async (group) => {
    const { final, unsent, counted } = sorted(group);
    // What was sent cannot be sent again: its outcome is kept until the database takes it.
    for (let refusals = 0; ; ) {
      try {
        if (final.length > 0) await deliveries.finish(final, new Date());
        if (unsent.length > 0) await deliveries.release(unsent.map(({ delivery }) => delivery));
        break;
      } catch (error) {
        onError(error);
        if (!isDatabaseAway(error) && ++refusals > MAX_REFUSALS) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY));
      }
    }
    try {
      await countStreaks(final);
      await forgive(counted);
    } catch (error) {
      // The outcomes are stored; a lost count disables nobody.
      onError(error);
    }
    return [];
  }, MAX_GROUP);

  return {
    finish: (ended) => store({ ...ended, state: 'final' }),
    takeBack: (ended, wasFinished) =>
      store({ ...ended, state: wasFinished ? 'unsent, but finished' : 'unsent' }),
  };
};
