import type {
  ClaimedDelivery,
  DisabledSubscription,
  EveryOrganization,
  QueuedDelivery,
} from '@chairside/mongodb';
import type { OutageWatch } from '../outage/outage-watch.ts';
import { createAttempt } from './attempt.ts';
import type { Bodies } from './bodies.ts';
import { createClaim } from './claim.ts';
import { createConclude, type DeliveryReport } from './conclude.ts';
import { createOutcomes, type Ended } from './outcomes.ts';
import { createPost } from './post.ts';
import type { ReceiverCache } from './receiver-cache.ts';
import type { Sender } from './send.ts';

export type DeliverOptions = Pick<EveryOrganization, 'deliveries' | 'receivers'> & {
  worker: string;
  bodies: Pick<Bodies, 'expect' | 'of'>;
  receiverCache: Pick<ReceiverCache, 'find' | 'forget'>;
  sender: Pick<Sender, 'send'>;
  outage: Pick<OutageWatch<Ended>, 'note'>;
  onReport(report: DeliveryReport): void;
  onDisabled(subscriptionId: string, disabled: DisabledSubscription): void;
  onError(error: unknown): void;
};

/** What a lane needs to know about the end of a claimed delivery. */
export type Delivered = {
  /** Whether an attempt was made, even if it ended before its request. Only attempts give information on a receiver. */
  attempted: boolean;
  timedOut: boolean;
  /** The subscriptions whose deliveries were requeued because they failed in an outage of this service. */
  requeued: readonly string[];
  /**
   * Resolves when the outcome is stored or set aside. Any outcome but a success is stored or set aside before `send`
   * resolves, because a failure may disable the subscription.
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
   * @param deadline latest time at which the attempt may begin, on this process's monotonic clock
   * @throws any error that prevented the attempt, after requeuing the delivery
   */
  send(delivery: ClaimedDelivery, deadline: number): Promise<Delivered>;
  /** Requeues a delivery that was not sent, even if it is unknown whether the database stored the claim. */
  requeue(delivery: ClaimedDelivery): Promise<void>;
  /** The number of outcomes that the database has refused and that are tried again. */
  refusedOutcomes(): number;
  /** Resolves when every outcome is stored. */
  stop(): Promise<void>;
};

export const createDeliver = (options: DeliverOptions): Deliver => {
  const { receiverCache, onError } = options;
  const outcomes = createOutcomes({
    ...options,
    onDisabled(subscriptionId, disabled) {
      receiverCache.forget(subscriptionId);
      options.onDisabled(subscriptionId, disabled);
    },
  });
  const claim = createClaim({ ...options, outcomes });
  const attempt = createAttempt({ ...options, post: createPost(options.sender, onError) });
  const conclude = createConclude({ ...options, outcomes });

  /** Requeues the delivery if `attempt` throws. */
  const attemptOrGiveBack = async (delivery: ClaimedDelivery, deadline: number) => {
    try {
      return await attempt(delivery, deadline);
    } catch (error) {
      await outcomes.requeue(delivery);
      throw error;
    }
  };

  const send = async (delivery: ClaimedDelivery, deadline: number): Promise<Delivered> => {
    const { receiver, outcome } = await attemptOrGiveBack(delivery, deadline);
    const { activation = 0, isFailing: wasFailing = false } = receiver ?? {};
    const concluded = conclude({ delivery, outcome, activation, wasFailing }, receiver);
    if (outcome.outcome === 'succeeded') {
      return { attempted: true, timedOut: false, requeued: [], stored: concluded.then(() => {}) };
    }
    const attempted = outcome.outcome === 'failed' && outcome.cause !== 'configuration';
    const timedOut = attempted && outcome.cause === 'timeout';
    return { attempted, timedOut, requeued: await concluded, stored: Promise.resolve() };
  };

  return {
    claim,
    send,
    requeue: outcomes.requeue,
    refusedOutcomes: outcomes.aside,
    stop: outcomes.stop,
  };
};
