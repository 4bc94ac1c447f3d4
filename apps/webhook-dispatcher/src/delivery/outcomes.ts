import { clock, type DeliveryKind } from '@chairside/domain';
import {
  type ClaimedDelivery,
  type EveryOrganization,
  isDatabaseUnavailable,
  type Outcome,
} from '@chairside/mongodb';
import { batched } from '@chairside/runtime';
import { createStreaks, type StreaksOptions } from './streaks.ts';
import { type CountedAttempt, judge } from './subscription-health.ts';

/** Maximum number of changes that are stored together. */
const MAX_GROUP = 200;
/** How long changes are collected after a group that was smaller than half of `MAX_GROUP`. */
const GATHERING_MS = 20;
/** Delay before another try to store outcomes, after the database was unavailable or refused them. */
const RETRY_DELAY_MS = 1000;
/** Maximum number of retries after the database refused an outcome. The reason of the refusal may be temporary. */
const MAX_REFUSALS = 3;
/** Only deliveries of this kind count for the health of a subscription. */
const COUNTED: DeliveryKind = 'event';

/** A claimed delivery with its outcome. */
export type Ended = {
  delivery: ClaimedDelivery;
  outcome: Outcome;
  /** The activation of the subscription when its receiver was read; 0 if the subscription is gone. */
  activation: number;
  /** Whether the subscription had a streak when its receiver was read. */
  wasFailing: boolean;
};

export type OutcomesOptions = StreaksOptions & {
  deliveries: Pick<EveryOrganization['deliveries'], 'finish' | 'release'>;
};

/** Stores the outcomes of deliveries and updates the streaks of their subscriptions, in groups. */
export type Outcomes = {
  finish(ended: Ended): Promise<void>;
  /** Requeues a delivery that was claimed and not sent. */
  requeue(delivery: ClaimedDelivery): Promise<void>;
  /**
   * Requeues a delivery for which `finish` was called: it failed in an outage of this service, and nothing was sent.
   */
  requeueEnded(ended: Ended): Promise<void>;
};

/**
 * A change to store: the outcome of a delivery, or the fact that nothing was sent. If nothing was sent and `ended` is
 * present, this outcome may be stored already.
 */
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
  const { deliveries, onError } = options;
  const streaks = createStreaks(options);

  /**
   * Retries until the database has stored the outcomes, because they are recorded nowhere else. Gives up at the fourth
   * refusal.
   */
  const untilStored = async (statements: () => Promise<unknown>): Promise<void> => {
    for (let refusals = 0; ; ) {
      try {
        await statements();
        return;
      } catch (error) {
        onError(error);
        if (!isDatabaseUnavailable(error) && ++refusals > MAX_REFUSALS) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
      }
    }
  };

  const storeTogether = async (group: readonly Entry[]): Promise<void> => {
    const { final, unsent, counted } = sorted(group);
    const judged = judge(final.flatMap(toCounted));
    const wereFailing = new Set(
      final.filter((ended) => ended.wasFailing).map(({ delivery }) => delivery.subscriptionId),
    );
    await untilStored(() =>
      Promise.all([
        final.length > 0 && deliveries.finish(final, clock.now()),
        unsent.length > 0 && deliveries.release(unsent),
        streaks.clear(judged.healthy, wereFailing),
      ]),
    );
    // The outcomes are stored now. If the failures cannot be added, the only effect is that a subscription may be
    // disabled later.
    await streaks.add(judged.streaks).catch(onError);
    await streaks.forgive(judge(counted.flatMap(toCounted)).streaks).catch(onError);
  };

  const store = batched<Entry, void>(
    async (group) => {
      try {
        await storeTogether(group);
        return [];
      } catch (error) {
        if (group.length === 1) throw error;
        // The database may have refused only one of the outcomes. Store each outcome separately.
        return group.map((entry) => storeTogether([entry]));
      }
    },
    MAX_GROUP,
    { restMs: GATHERING_MS },
  );

  return {
    finish: (ended) => store({ delivery: ended.delivery, ended, isUnsent: false }),
    requeue: (delivery) => store({ delivery, isUnsent: true }),
    requeueEnded: (ended) => store({ delivery: ended.delivery, ended, isUnsent: true }),
  };
};
