import {
  type ClaimedDelivery,
  type DisabledSubscription,
  type Dispatch,
  distinctLanes,
  type LaneRef,
  type PauseSettings,
  type QueuedDelivery,
} from '@chairside/mongodb/dispatch';
import type { OutageWatch } from '../outage/outage-watch.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { createAttempt, type Unsent } from './attempt.ts';
import type { Bodies } from './bodies.ts';
import { createClaim } from './claim.ts';
import { createConclude, type DeliveryReport, requeueAll } from './conclude.ts';
import { createOutcomes, type Ended } from './outcomes.ts';
import { createPost } from './post.ts';
import type { ReceiverCache } from './receiver-cache.ts';
import type { Sender } from './send.ts';

export type DeliverOptions = Pick<Dispatch, 'deliveries' | 'receivers' | 'attemptPermits'> & {
  pauses: PauseSettings;
  worker: string;
  bodies: Pick<Bodies, 'expect' | 'of'>;
  receiverCache: Pick<ReceiverCache, 'find' | 'forget'>;
  sender: Pick<Sender, 'send'>;
  outbound: Pick<Outbound, 'check'>;
  outage: Pick<OutageWatch<Ended>, 'note'>;
  onReport(report: DeliveryReport): void;
  onSlowed(subscriptionId: string): void;
  onDisabled(subscriptionId: string, disabled: DisabledSubscription): void;
  onError(error: unknown): void;
};

/** What a lane needs to know about the end of a claimed delivery. */
export type Delivered = {
  /** Whether an attempt was made, even if it ended before its request. Only attempts give information on a receiver. */
  attempted: boolean;
  /** Whether the delivery was requeued because it may not leave now. */
  isWithheld: boolean;
  timedOut: boolean;
  /** The failures in a row of the subscription, as far as this process knows; 0 if it is not active. */
  failures: number;
  /**
   * The lanes whose deliveries were requeued: they failed in an outage of this service, or the subscription is
   * slowed down and there was no permit.
   */
  requeued: readonly LaneRef[];
  /**
   * Resolves when the outcome is stored or set aside. Before `send` resolves, this applies to any outcome but a success,
   * because a failure may disable the subscription, and to any outcome of an attempt with a permit, because the permit ends
   * with it.
   */
  stored: Promise<void>;
};

/**
 * Claims a delivery, sends it at most once, and stores its outcome. Concurrent claims, reads and outcomes share
 * statements.
 */
export type Deliver = {
  /** @returns undefined if the delivery is not queued any more, for example because another process claimed it */
  claim(delivery: QueuedDelivery): Promise<ClaimedDelivery | undefined>;
  /**
   * @param when.deadline latest time at which the attempt may begin, on this process's monotonic clock
   * @param when.permit the token of the subscription's permit. The permit has ended when the promise is settled
   * @throws any error that prevented the attempt, after requeuing the delivery
   */
  send(
    delivery: ClaimedDelivery,
    when: { deadline: number; permit?: string | undefined },
  ): Promise<Delivered>;
  /** Requeues a delivery that was not sent, even if it is unknown whether the database stored the claim. */
  requeue(delivery: ClaimedDelivery): Promise<void>;
  /**
   * Requeues deliveries whose outcomes may be stored: they failed in an outage of this service.
   *
   * @returns their lanes
   */
  takeBack(ended: readonly Ended[]): Promise<readonly LaneRef[]>;
  /** The number of outcomes that the database has refused and that are tried again. */
  refusedOutcomes(): number;
  /** Resolves when every outcome is stored. */
  stop(): Promise<void>;
};

export const createDeliver = (options: DeliverOptions): Deliver => {
  const { receiverCache, onError } = options;
  const outcomes = createOutcomes({
    ...options,
    onSlowed(subscriptionId) {
      receiverCache.forget(subscriptionId);
      options.onSlowed(subscriptionId);
    },
    onDisabled(subscriptionId, disabled) {
      receiverCache.forget(subscriptionId);
      options.onDisabled(subscriptionId, disabled);
    },
  });
  const claim = createClaim({ ...options, outcomes });
  const attempt = createAttempt({ ...options, post: createPost(options.sender, onError) });
  const conclude = createConclude({ ...options, outcomes });

  /** Requeues the delivery if `attempt` throws. */
  const attemptOrGiveBack: typeof attempt = async (delivery, when) => {
    try {
      return await attempt(delivery, when);
    } catch (error) {
      await outcomes.requeue(delivery, when.permit);
      throw error;
    }
  };

  const requeueUnsent = async (
    delivery: ClaimedDelivery,
    why: Unsent,
    failures: number,
    permit: string | undefined,
  ): Promise<Delivered> => {
    await outcomes.requeue(delivery, permit);
    const isWithheld = why === 'withheld';
    const requeued = isWithheld ? [] : distinctLanes([delivery]);
    return { attempted: false, isWithheld, timedOut: false, failures, requeued, stored: Promise.resolve() };
  };

  const send: Deliver['send'] = async (delivery, when) => {
    const { receiver, outcome } = await attemptOrGiveBack(delivery, when);
    const { activation = 0, active = false, consecutiveFailures = 0, isInTrouble = false } = receiver ?? {};
    const wereFailures = active ? consecutiveFailures : 0;
    const { permit } = when;
    if (typeof outcome === 'string') return requeueUnsent(delivery, outcome, wereFailures, permit);
    const ended = { delivery, outcome, activation, wereFailures, wasInTrouble: isInTrouble, permit };
    const concluded = conclude(ended, receiver);
    if (outcome.outcome === 'succeeded') {
      if (permit !== undefined) {
        await concluded;
        receiverCache.forget(delivery.subscriptionId);
      }
      const failures = delivery.kind === 'event' ? 0 : wereFailures;
      const stored = concluded.then(() => {});
      return { attempted: true, isWithheld: false, timedOut: false, failures, requeued: [], stored };
    }
    const requeued = await concluded;
    const attempted = outcome.outcome === 'failed' && outcome.cause !== 'configuration';
    const timedOut = attempted && outcome.cause === 'timeout';
    const isCounted = outcome.outcome === 'failed' && delivery.kind === 'event' && requeued.length === 0;
    const failures = (isCounted ? outcomes.failuresOf(delivery.subscriptionId) : undefined) ?? wereFailures;
    return { attempted, isWithheld: false, timedOut, failures, requeued, stored: Promise.resolve() };
  };

  return {
    claim,
    send,
    requeue: (delivery) => outcomes.requeue(delivery),
    takeBack: (ended) => requeueAll(ended, outcomes),
    refusedOutcomes: outcomes.aside,
    stop: outcomes.stop,
  };
};
