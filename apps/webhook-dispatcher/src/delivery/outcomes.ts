import { setTimeout as sleep } from 'node:timers/promises';
import { clock, type DeliveryKind, SLOWED_FROM_FAILURES } from '@chairside/domain';
import { isDatabaseUnavailable } from '@chairside/mongodb';
import type { ClaimedDelivery, Dispatch, Outcome } from '@chairside/mongodb/dispatch';
import { batched } from '@chairside/runtime';
import { createStreaks, type StreaksOptions } from './streaks.ts';
import { type CountedAttempt, judge } from './subscription-health.ts';

/** Maximum number of changes that are stored together. */
const MAX_GROUP = 200;
/** How long changes are collected after a group that was smaller than half of `MAX_GROUP`. */
const GATHERING_MS = 20;
/** The pause before the second try to store changes, in milliseconds. Each further pause is twice as long. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 10_000;
/**
 * How often a group is tried as a whole while the database is unavailable. Then its halves are tried on their own,
 * because one change may be the cause.
 */
const MAX_TRIES = 4;
/**
 * Maximum number of refused changes that are set aside. Beyond that, a refused change keeps the place of its delivery, so
 * the process begins fewer attempts.
 */
const MAX_ASIDE = 1000;
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
  /** The token of the turn in which the attempt was made; absent unless the subscription was slowed down. */
  turn?: string | undefined;
};

export type OutcomesOptions = StreaksOptions & {
  deliveries: Pick<Dispatch['deliveries'], 'finish' | 'release'>;
  attemptTurns: Pick<Dispatch['attemptTurns'], 'giveBack' | 'endPauses'>;
  /** Waits between two tries. Tests replace it. */
  pause?: (milliseconds: number) => Promise<unknown>;
};

/**
 * Stores the outcomes of deliveries and updates the streaks of their subscriptions, in groups. An outcome is recorded
 * nowhere else, so none is given up while the process lives: a group that the database refuses is halved until the
 * refused change is alone. It is then set aside, and tried again with growing pauses.
 */
export type Outcomes = {
  /** Resolves when the outcome is stored or set aside. It never rejects; the same applies to the other functions. */
  finish(ended: Ended): Promise<void>;
  /** Requeues a delivery that was claimed and not sent, and gives the turn back. */
  requeue(delivery: ClaimedDelivery, turn?: string): Promise<void>;
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
type Entry = { delivery: ClaimedDelivery; ended?: Ended; turn?: string | undefined; isUnsent: boolean };

const toCounted = ({ delivery, outcome, activation, turn }: Ended): CountedAttempt[] => {
  const { kind, subscriptionId } = delivery;
  if (kind !== COUNTED || outcome.outcome === 'skipped') return [];
  return [
    { subscriptionId, activation, turn, ...(outcome.outcome === 'failed' && { cause: outcome.cause }) },
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
  const { deliveries, attemptTurns, onError, pause = sleep } = options;
  const streaks = createStreaks(options);

  /**
   * Gives back the turns of attempts that end here. The turns of failures and successes that count have already ended in
   * most cases. If this fails, the turns end half a minute after they began.
   */
  const endTurns = async (group: readonly Entry[], final: readonly Ended[]): Promise<void> => {
    const accepted = final.filter(endsPause).map(({ delivery }) => delivery.subscriptionId);
    if (accepted.length > 0) await attemptTurns.endPauses(accepted);
    const turns = group.flatMap(({ delivery: { subscriptionId }, turn }) =>
      turn === undefined ? [] : [{ subscriptionId, token: turn }],
    );
    if (turns.length > 0) await attemptTurns.giveBack(turns);
  };

  const storeTogether = async (group: readonly Entry[]): Promise<void> => {
    const { final, unsent, counted } = sorted(group);
    const judged = judge(final.flatMap(toCounted));
    const wereFailing = new Set(
      final.filter(({ wereFailures }) => wereFailures > 0).map(({ delivery }) => delivery.subscriptionId),
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
    await endTurns(group, final).catch(onError);
  };

  const aside = new Set<Promise<void>>();

  /** Tries to store the changes, four times while the database is unavailable. */
  const tryTogether = async (group: readonly Entry[]): Promise<void> => {
    let rest = FIRST_PAUSE_MS;
    for (let tries = 1; ; tries++) {
      try {
        return await storeTogether(group);
      } catch (error) {
        if (!isDatabaseUnavailable(error) || tries === MAX_TRIES) throw error;
        onError(error);
      }
      await pause(rest);
      rest = Math.min(2 * rest, LONGEST_PAUSE_MS);
    }
  };

  /** Tries until the change is stored, whatever the errors. */
  const untilStored = async (entry: Entry): Promise<void> => {
    for (let rest = FIRST_PAUSE_MS; ; rest = Math.min(2 * rest, LONGEST_PAUSE_MS)) {
      await pause(rest);
      try {
        return await storeTogether([entry]);
      } catch (error) {
        onError(error);
      }
    }
  };

  /** Resolves when the change is stored, or at once if there is room to set it aside. */
  const setAside = async (entry: Entry, error: unknown): Promise<void> => {
    const stored = untilStored(entry);
    // While the database is unavailable, deliveries keep their places, so that the process does not send what it cannot
    // record.
    if (isDatabaseUnavailable(error) || aside.size >= MAX_ASIDE) return stored;
    aside.add(stored);
    void stored.then(() => aside.delete(stored));
  };

  /** Stores the two halves of a group on their own. */
  const storeHalves = (group: readonly Entry[], error: unknown): Promise<void>[] => {
    onError(error);
    if (group.length <= 1) return group.map((entry) => setAside(entry, error));
    const middle = group.length / 2;
    return [group.slice(0, middle), group.slice(middle)].flatMap((half) => {
      const stored = storeTogether(half).then(
        () => half.map(() => Promise.resolve()),
        (problem) => storeHalves(half, problem),
      );
      return half.map(async (_entry, index) => (await stored)[index]);
    });
  };

  const store = batched<Entry, void>(
    async (group) => {
      try {
        await tryTogether(group);
        return [];
      } catch (error) {
        return storeHalves(group, error);
      }
    },
    MAX_GROUP,
    { restMs: GATHERING_MS },
  );

  return {
    finish: (ended) => store({ delivery: ended.delivery, ended, turn: ended.turn, isUnsent: false }),
    requeue: (delivery, turn) => store({ delivery, turn, isUnsent: true }),
    requeueEnded: (ended) => store({ delivery: ended.delivery, ended, isUnsent: true }),
    failuresOf: streaks.failuresOf,
    aside: () => aside.size,
    stop: async () => void (await Promise.all(aside)),
  };
};
