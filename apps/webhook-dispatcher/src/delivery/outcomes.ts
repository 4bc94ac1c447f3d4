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
import { LRUCache } from 'lru-cache';
import { type CountedAttempt, judge } from './subscription-health.ts';

/** The most deliveries that share a round trip. */
const MAX_GROUP = 200;
/** How long outcomes are collected after the previous group, in milliseconds. No receiver waits for them. */
const GATHERING = 20;
/** Delay between tries to store an outcome while the database is unavailable, in milliseconds. */
const RETRY_DELAY = 1000;
/** How often storing an outcome is retried after the database refused it: the reason may be temporary. */
const MAX_REFUSALS = 3;
/** The most subscriptions that are remembered because of a failure. */
const MAX_FAILING = 10_000;
/** Only attempts of this kind count for the health of a subscription. */
const COUNTED: DeliveryKind = 'event';

/** A claimed delivery with its outcome. */
export type Ended = {
  delivery: ClaimedDelivery;
  outcome: Outcome;
  /** The activation of the subscription when the attempt began. */
  activation: number;
  /** Whether the last attempt before this one had failed. */
  wasFailing: boolean;
};

export type OutcomesOptions = Pick<EveryOrganization, 'deliveries' | 'receivers'> & {
  onDisabled(subscriptionId: string, disabled: DisabledSubscription): void;
  onError(error: unknown): void;
};

/** Stores the outcomes of deliveries and updates the streaks of their subscriptions, in groups. */
export type Outcomes = {
  finish(ended: Ended): Promise<void>;
  /** Requeues a delivery that was claimed and not sent. */
  giveBack(delivery: ClaimedDelivery): Promise<void>;
  /**
   * Requeues a delivery for which `finish` was called: it failed in an outage of this service, and nothing was sent.
   */
  takeBack(ended: Ended): Promise<void>;
};

/** A change to store: the outcome of a delivery, or that it was not sent (possibly after an outcome was stored). */
type Entry = { delivery: ClaimedDelivery; ended?: Ended; isUnsent: boolean };

const toCounted = ({ delivery, outcome, activation }: Ended): CountedAttempt[] => {
  const { kind, subscriptionId } = delivery;
  if (kind !== COUNTED || outcome.outcome === 'skipped') return [];
  return [{ subscriptionId, activation, ...(outcome.outcome === 'failed' && { cause: outcome.cause }) }];
};

const keyOf = ({ _id, token }: ClaimedDelivery): string => `${_id} ${token}`;

/**
 * Sorts the changes of a group by the statement that stores them. If a delivery ends and is requeued in the same
 * group, its outcome is not stored.
 */
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

  /** The backlogs that are being skipped, by subscription. */
  const skipping = new Map<string, Promise<void>>();

  /** Subscriptions whose streak this process has lengthened. Their receivers may have been read before. */
  const failing = new LRUCache<string, true>({ max: MAX_FAILING });

  /**
   * Resets the streaks of subscriptions that had one, so that a success of a healthy one costs no statement. A failure
   * that another process has stored since the receiver was read is reset by the next success.
   */
  const clearStreaks = async (healthy: readonly string[], ended: readonly Ended[]): Promise<void> => {
    const wereFailing = new Set(
      ended.filter(({ wasFailing }) => wasFailing).map(({ delivery }) => delivery.subscriptionId),
    );
    const recovered = healthy.filter((id) => wereFailing.has(id) || failing.has(id));
    if (recovered.length === 0) return;
    await receivers.clearStreaks(recovered);
    for (const id of recovered) failing.delete(id);
  };

  const addFailures = async (streaks: readonly Streak[]): Promise<void> => {
    await Promise.all(
      streaks.map(async (streak) => {
        failing.set(streak.subscriptionId, true);
        const disabled = await receivers.addFailures(streak, new Date());
        if (disabled === undefined) return;
        onDisabled(streak.subscriptionId, disabled);
        // Not awaited: a long backlog must not delay other outcomes. A delivery that is claimed meanwhile is skipped as
        // well.
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
    // A sent delivery cannot be sent again, so its outcome is kept until the database stores it.
    for (let refusals = 0; ; ) {
      try {
        await Promise.all([
          final.length > 0 && deliveries.finish(final, new Date()),
          unsent.length > 0 && deliveries.release(unsent),
          clearStreaks(healthy, final),
        ]);
        break;
      } catch (error) {
        onError(error);
        if (!isDatabaseUnavailable(error) && ++refusals > MAX_REFUSALS) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY));
      }
    }
    // The outcomes are already stored. If counting the failures fails now, the worst effect is that a
    // subscription is disabled later.
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
        // The database may have refused only one of the outcomes. Store each by itself.
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
