import type { DeliveryKind } from '@chairside/domain';
import {
  type ClaimedDelivery,
  type DisabledSubscription,
  type EveryOrganization,
  isDatabaseUnavailable,
  type Outcome,
  type Streak,
} from '@chairside/mongodb';
import { batched } from '@chairside/runtime';
import { type CountedAttempt, judge } from '../subscription-health.ts';

/** The most Deliveries that share a round trip. */
const MAX_GROUP = 200;
/** How long outcomes gather after others were stored, in milliseconds: no receiver waits for them. */
const GATHERING = 20;
/** How long to wait before an outcome is stored again while the database is away, in milliseconds. */
const RETRY_DELAY = 1000;
/** How often an outcome is stored again that the database refuses: it may do so for a reason that passes. */
const MAX_REFUSALS = 3;
/** Only attempts of this kind say how healthy a subscription is. */
const COUNTED: DeliveryKind = 'event';

/** A claimed Delivery at its end. */
export type Ended = { delivery: ClaimedDelivery; outcome: Outcome; activation: number };

export type OutcomesOptions = Pick<EveryOrganization, 'deliveries' | 'receivers'> & {
  onDisabled(subscriptionId: string, disabled: DisabledSubscription): void;
  onError(error: unknown): void;
};

/** Stores how Deliveries ended, and what that means for their subscriptions; each group in one round trip. */
export type Outcomes = {
  finish(ended: Ended): Promise<void>;
  /** Puts back in the queue what was claimed and not sent. */
  giveBack(delivery: ClaimedDelivery): Promise<void>;
  /** The same for what `finish` was called for: our own outage has failed it, and nothing was sent. */
  takeBack(ended: Ended): Promise<void>;
};

/** What is to be stored of a Delivery: its end, or that it was not sent, perhaps after its end was stored. */
type Entry = { delivery: ClaimedDelivery; ended?: Ended; isUnsent: boolean };

const toCounted = ({ delivery, outcome, activation }: Ended): CountedAttempt[] => {
  const { kind, subscriptionId } = delivery;
  if (kind !== COUNTED || outcome.outcome === 'skipped') return [];
  return [{ subscriptionId, activation, ...(outcome.outcome === 'failed' && { cause: outcome.cause }) }];
};

const keyOf = ({ _id, token }: ClaimedDelivery): string => `${_id} ${token}`;

/** What to store of a group: one that is taken back in the same group was never stored. */
const sorted = (group: readonly Entry[]) => {
  const unsent = group.filter(({ isUnsent }) => isUnsent).map(({ delivery }) => delivery);
  const unsentKeys = new Set(unsent.map(keyOf));
  const ends = (isUnsent: boolean) =>
    group.flatMap(({ ended, ...entry }) => (ended && entry.isUnsent === isUnsent ? [ended] : []));
  const endedKeys = new Set(ends(false).map(({ delivery }) => keyOf(delivery)));
  return {
    unsent,
    final: ends(false).filter(({ delivery }) => !unsentKeys.has(keyOf(delivery))),
    counted: ends(true).filter(({ delivery }) => !endedKeys.has(keyOf(delivery))),
  };
};

export const createOutcomes = (options: OutcomesOptions): Outcomes => {
  const { deliveries, receivers, onDisabled, onError } = options;

  /** The backlogs that are being skipped just now, by subscription. */
  const skipping = new Map<string, Promise<void>>();

  const addFailures = async (streaks: readonly Streak[]): Promise<void> => {
    await Promise.all(
      streaks.map(async (streak) => {
        const disabled = await receivers.addFailures(streak, new Date());
        if (disabled === undefined) return;
        onDisabled(streak.subscriptionId, disabled);
        // Not waited for: a long backlog must not hold other outcomes up, and whoever claims of it skips it as well.
        const { subscriptionId } = streak;
        const skipped = deliveries
          .skipQueued(subscriptionId, 'subscription_disabled', new Date())
          .then(() => {}, onError)
          .then(() => void skipping.delete(subscriptionId));
        skipping.set(subscriptionId, skipped);
      }),
    );
  };

  const forgive = async (counted: readonly Ended[]): Promise<void> => {
    const { streaks } = judge(counted.flatMap(toCounted));
    await Promise.all(
      streaks.map(async (streak) => {
        const disabledTime = await receivers.takeBackFailures(streak);
        if (disabledTime === undefined) return;
        await skipping.get(streak.subscriptionId);
        await deliveries.requeueSkipped(streak.subscriptionId, disabledTime);
      }),
    );
  };

  const storeTogether = async (group: readonly Entry[]): Promise<void> => {
    const { final, unsent, counted } = sorted(group);
    const { healthy, streaks } = judge(final.flatMap(toCounted));
    // What was sent cannot be sent again: its outcome is kept until the database takes it.
    for (let refusals = 0; ; ) {
      try {
        await Promise.all([
          final.length > 0 && deliveries.finish(final, new Date()),
          unsent.length > 0 && deliveries.release(unsent),
          healthy.length > 0 && receivers.clearStreaks(healthy),
        ]);
        break;
      } catch (error) {
        onError(error);
        if (!isDatabaseUnavailable(error) && ++refusals > MAX_REFUSALS) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY));
      }
    }
    // The outcomes are stored whatever comes of this; a lost count disables nobody.
    await addFailures(streaks).catch(onError);
    await forgive(counted).catch(onError);
  };

  const store = batched<Entry, void>(
    async (group) => {
      try {
        await storeTogether(group);
        return [];
      } catch (error) {
        if (group.length === 1) throw error;
        // One that the database refuses must not take the others with it.
        return group.map((entry) => storeTogether([entry]));
      }
    },
    MAX_GROUP,
    { rest: GATHERING },
  );

  return {
    finish: (ended) => store({ delivery: ended.delivery, ended, isUnsent: false }),
    giveBack: (delivery) => store({ delivery, isUnsent: true }),
    takeBack: (ended) => store({ delivery: ended.delivery, ended, isUnsent: true }),
  };
};
