import { clock, SLOWED_FROM_FAILURES } from '@chairside/domain';
import type { DisabledSubscription, Dispatch, PauseSettings, Streak } from '@chairside/mongodb/dispatch';
import { LRUCache } from 'lru-cache';

/** Maximum number of subscriptions with failures that this process remembers. */
const MAX_FAILING = 10_000;

export type StreaksOptions = {
  deliveries: Pick<Dispatch['deliveries'], 'skipQueued' | 'requeueSkipped'>;
  receivers: Pick<Dispatch['receivers'], 'clearStreaks' | 'addFailures' | 'subtractFailures'>;
  pauses: PauseSettings;
  /** Called when failures slow a subscription down. */
  onSlowed(subscriptionId: string): void;
  onDisabled(subscriptionId: string, disabled: DisabledSubscription): void;
  onError(error: unknown): void;
};

/** The streaks of subscriptions in the database. A subscription whose streak is long enough is disabled. */
export type Streaks = {
  /**
   * Resets the streaks of subscriptions that had a streak, or trouble that was told. A success of a healthy subscription
   * therefore costs no statement. A failure that another process has stored since the receiver was read is reset by a later success.
   *
   * @param wereFailing the subscriptions that had a streak, or trouble that was told, when their receivers were read
   */
  clear(healthy: readonly string[], wereFailing: ReadonlySet<string>): Promise<void>;
  /** Adds failures, and skips the backlogs of the subscriptions that are disabled by them. */
  add(streaks: readonly Streak[]): Promise<void>;
  /** See `Outcomes`. */
  failuresOf(subscriptionId: string): number | undefined;
  /**
   * Subtracts failures that an outage of this service caused, and enables the subscriptions that were disabled only
   * because of these failures.
   */
  forgive(streaks: readonly Streak[]): Promise<void>;
};

export const createStreaks = (options: StreaksOptions): Streaks => {
  const { deliveries, receivers, pauses, onSlowed, onDisabled, onError } = options;
  /** The backlogs that are being skipped, by subscription. */
  const skipping = new Map<string, Promise<void>>();

  /**
   * Subscriptions whose streak this process has lengthened, with its length; 0 if it disabled the subscription. Receiver
   * data that was read earlier does not contain this streak.
   */
  const failing = new LRUCache<string, number>({ max: MAX_FAILING });

  const skipBacklog = (subscriptionId: string): void => {
    const skipped = deliveries
      .skipQueued(subscriptionId, 'subscription_disabled', clock.now())
      .then(() => {}, onError)
      .then(() => void skipping.delete(subscriptionId));
    skipping.set(subscriptionId, skipped);
  };

  const addOne = async (streak: Streak): Promise<void> => {
    const { subscriptionId } = streak;
    // Set before the failures are stored, because they may be stored despite an error.
    failing.set(subscriptionId, (failing.get(subscriptionId) ?? 0) + streak.failures);
    const added = await receivers.addFailures(streak, clock.now(), pauses);
    const { consecutiveFailures = 0, disabled } = added ?? {};
    failing.set(subscriptionId, disabled === undefined ? consecutiveFailures : 0);
    const isNewlySlowed =
      consecutiveFailures >= SLOWED_FROM_FAILURES &&
      (streak.succeeded || consecutiveFailures - streak.failures < SLOWED_FROM_FAILURES);
    if (isNewlySlowed) onSlowed(subscriptionId);
    if (disabled === undefined) return;
    onDisabled(subscriptionId, disabled);
    // This work is not awaited, because a long backlog must not delay other outcomes. A delivery of kind `event` that
    // is claimed meanwhile is skipped once its receiver is read again.
    skipBacklog(subscriptionId);
  };

  const forgiveOne = async (streak: Streak): Promise<void> => {
    const disabledTime = await receivers.subtractFailures(streak);
    if (disabledTime === undefined) return;
    await skipping.get(streak.subscriptionId);
    await deliveries.requeueSkipped(streak.subscriptionId, disabledTime);
  };

  return {
    async clear(healthy, wereFailing) {
      const recovered = healthy.filter((id) => wereFailing.has(id) || failing.has(id));
      if (recovered.length === 0) return;
      await receivers.clearStreaks(recovered);
      for (const id of recovered) failing.delete(id);
    },
    failuresOf: (subscriptionId) => failing.get(subscriptionId),
    add: async (streaks) => void (await Promise.all(streaks.map(addOne))),
    forgive: async (streaks) => void (await Promise.all(streaks.map(forgiveOne))),
  };
};
