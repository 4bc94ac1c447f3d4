import { clock, type DeliveryKind, SLOWED_FROM_FAILURES } from '@chairside/domain';
import type { ClaimedDelivery, Dispatch, Outcome } from '@chairside/mongodb/dispatch';
import { createGroupStore, type GroupStoreOptions } from './group-store.ts';
import { createStreaks, type StreaksOptions } from './streaks.ts';
import { type CountedAttempt, judge } from './subscription-health.ts';

/** Only deliveries of this kind count for the health of a subscription. */
const COUNTED: DeliveryKind = 'event';

/** A claimed delivery with its outcome. */
export type Ended = {
  delivery: ClaimedDelivery;
  outcome: Outcome;
  /** The activation of the subscription when its receiver was read; 0 if the subscription is gone. */
  activation: number;
  /** The failures in a row of the subscription when its receiver was read; 0 if it was not active. */
  wereFailures: number;
  /** Whether the administrators were told of trouble when the receiver was read, and no event was accepted since. */
  wasInTrouble?: boolean;
  /** The token of the permit with which the attempt was made; absent unless the subscription was slowed down. */
  permit?: string | undefined;
};

export type OutcomesOptions = StreaksOptions &
  Pick<GroupStoreOptions, 'pause'> & {
    deliveries: Pick<Dispatch['deliveries'], 'finish' | 'release'>;
    attemptPermits: Pick<Dispatch['attemptPermits'], 'giveBack' | 'endPauses'>;
  };

/**
 * Stores the outcomes of deliveries and updates the streaks of their subscriptions, in groups: see
 * {@link createGroupStore}. An outcome is recorded nowhere else, so none is given up while the process lives.
 */
export type Outcomes = {
  /** Resolves when the outcome is stored or set aside. It never rejects; the same applies to the other functions. */
  finish(ended: Ended): Promise<void>;
  /** Requeues a delivery that was claimed and not sent, and gives the permit back. */
  requeue(delivery: ClaimedDelivery, permit?: string): Promise<void>;
  /**
   * Requeues a delivery for which `finish` was called: it failed in an outage of this service, and nothing was sent.
   */
  requeueEnded(ended: Ended): Promise<void>;
  /**
   * The failures in a row of a subscription after the last failure that this process has stored; undefined if there was
   * none, or a success since.
   */
  failuresOf(subscriptionId: string): number | undefined;
  /** The number of changes that are set aside. */
  aside(): number;
  /** Resolves when no change is set aside. */
  stop(): Promise<void>;
};

/**
 * A change to store: the outcome of a delivery, or the fact that nothing was sent. If nothing was sent and `ended` is
 * present, this outcome may be stored already.
 */
type Entry = { delivery: ClaimedDelivery; ended?: Ended; permit?: string | undefined; isUnsent: boolean };

const toCounted = ({ delivery, outcome, activation, permit }: Ended): CountedAttempt[] => {
  const { kind, subscriptionId } = delivery;
  if (kind !== COUNTED || outcome.outcome === 'skipped') return [];
  return [
    { subscriptionId, activation, permit, ...(outcome.outcome === 'failed' && { cause: outcome.cause }) },
  ];
};

/** Whether a test or redelivery has shown that a receiver works whose subscription is slowed down. */
const endsPause = ({ delivery, outcome, wereFailures }: Ended): boolean =>
  delivery.kind !== COUNTED && outcome.outcome === 'succeeded' && wereFailures >= SLOWED_FROM_FAILURES;

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
  const { deliveries, attemptPermits, onError, pause } = options;
  const streaks = createStreaks(options);

  /**
   * Gives back the permits of attempts that end here. The permits of failures and successes that count have already ended in
   * most cases. If this fails, the permits end half a minute after they began.
   */
  const endPermits = async (group: readonly Entry[], final: readonly Ended[]): Promise<void> => {
    const accepted = final.filter(endsPause).map(({ delivery }) => delivery.subscriptionId);
    if (accepted.length > 0) await attemptPermits.endPauses(accepted);
    const permits = group.flatMap(({ delivery: { subscriptionId }, permit }) =>
      permit === undefined ? [] : [{ subscriptionId, token: permit }],
    );
    if (permits.length > 0) await attemptPermits.giveBack(permits);
  };

  const storeTogether = async (group: readonly Entry[]): Promise<void> => {
    const { final, unsent, counted } = sorted(group);
    const judged = judge(final.flatMap(toCounted));
    const wereFailing = new Set(
      final
        .filter(({ wereFailures, wasInTrouble }) => wereFailures > 0 || wasInTrouble === true)
        .map(({ delivery }) => delivery.subscriptionId),
    );
    await Promise.all([
      final.length > 0 && deliveries.finish(final, clock.now()),
      unsent.length > 0 && deliveries.release(unsent),
      streaks.clear(judged.healthy, wereFailing),
    ]);
    // The outcomes are stored now. If the failures cannot be added, the only effect is that a subscription may be
    // disabled later.
    await streaks.add(judged.streaks).catch(onError);
    await streaks.forgive(judge(counted.flatMap(toCounted)).streaks).catch(onError);
    await endPermits(group, final).catch(onError);
  };

  const groups = createGroupStore(storeTogether, { onError, ...(pause && { pause }) });
  return {
    finish: (ended) =>
      groups.store({ delivery: ended.delivery, ended, permit: ended.permit, isUnsent: false }),
    requeue: (delivery, permit) => groups.store({ delivery, permit, isUnsent: true }),
    requeueEnded: (ended) => groups.store({ delivery: ended.delivery, ended, isUnsent: true }),
    failuresOf: streaks.failuresOf,
    aside: groups.aside,
    stop: groups.stop,
  };
};
