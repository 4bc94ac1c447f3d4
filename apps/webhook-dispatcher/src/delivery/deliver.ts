import type { SkipReason } from '@chairside/domain';
import {
  type ClaimedDelivery,
  type DisabledSubscription,
  type EveryOrganization,
  mayStillEnter,
  type Outcome,
  type QueuedDelivery,
} from '@chairside/mongodb';
import { batched } from '@chairside/runtime';
import { type OutageWatch, reachedHost } from '../outage/outage-watch.ts';
import type { Bodies } from './bodies.ts';
import { createOutcomes, type Ended } from './outcomes.ts';
import { createPost, failedByConfiguration } from './post.ts';
import type { FoundReceiver, ReceiverCache } from './receiver-cache.ts';
import type { Sender } from './send.ts';

/** The most deliveries that are claimed in one round trip. */
const MAX_GROUP = 200;
/**
 * How long claims are collected after the previous group, in milliseconds. Deliveries to idle lanes need no such claim.
 */
const GATHERING = 5;

/** A delivery and its outcome, for the log: ids, timings and causes, no patient data. */
export type DeliveryReport = { delivery: ClaimedDelivery; outcome: Outcome };

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
  /** Whether a request was made. Without a request, the delivery contains no information about its receiver. */
  attempted: boolean;
  /** Whether the attempt timed out. */
  timedOut: boolean;
  /** The subscriptions whose deliveries were requeued because they failed in an outage of this service. */
  requeued: readonly string[];
  /**
   * Resolves when the outcome is stored. A failure is stored before `send` resolves: its streak may disable the
   * subscription.
   */
  stored: Promise<void>;
};

/**
 * Claims a delivery, sends it once, and stores its outcome. Concurrent claims, reads and outcomes share round trips.
 */
export type Deliver = {
  /** @returns undefined if another process has claimed the delivery */
  claim(delivery: QueuedDelivery): Promise<ClaimedDelivery | undefined>;
  /**
   * @param deadline latest time at which the attempt may begin, on this process's monotonic clock
   * @throws any error that occurred before the attempt. The delivery has been requeued.
   */
  send(delivery: ClaimedDelivery, deadline: number): Promise<Delivered>;
  /** Requeues a delivery that was not sent, even if it is unknown whether the database stored the claim. */
  giveBack(delivery: ClaimedDelivery): Promise<void>;
};

/** Whether an outcome is evidence for or against an outage. If no address was dialled, it is not. */
const isTelling = (outcome: Outcome): boolean =>
  outcome.outcome === 'succeeded' ||
  (outcome.outcome === 'failed' && !['blocked_address', 'configuration'].includes(outcome.cause));

export const createDeliver = (options: DeliverOptions): Deliver => {
  const { bodies, deliveries, outage, receiverCache, onError } = options;
  const post = createPost(options.sender, onError);
  const outcomes = createOutcomes({
    deliveries,
    receivers: options.receivers,
    onError,
    onDisabled: (subscriptionId, disabled) => {
      receiverCache.forget(subscriptionId);
      options.onDisabled(subscriptionId, disabled);
    },
  });

  const claim = batched<QueuedDelivery, ClaimedDelivery | undefined>(
    async (group) => {
      const token = crypto.randomUUID();
      try {
        const claimed = await deliveries.claim(group, token, options.worker);
        bodies.expect(claimed);
        const byId = new Map(claimed.map((delivery) => [delivery._id, delivery]));
        return group.map(({ _id }) => {
          const delivery = byId.get(_id);
          // A delivery that occurs twice in the group is claimed once.
          byId.delete(_id);
          return delivery;
        });
      } catch (error) {
        // The claim may be stored despite the error. Requeue before throwing: the lane then reads its backlog again.
        return group.map(async (delivery) => {
          await outcomes.giveBack({ ...delivery, token }).catch(onError);
          throw error;
        });
      }
    },
    MAX_GROUP,
    { rest: GATHERING },
  );

  const attempt = async (
    delivery: ClaimedDelivery,
    deadline: number,
  ): Promise<{ outcome: Outcome; receiver: FoundReceiver }> => {
    const body = await bodies.of(delivery);
    // The receiver is read last, so that its data is up to date when the attempt begins.
    const receiver = await receiverCache.find(delivery.subscriptionId);
    const skipped = (cause: SkipReason) => ({ receiver, outcome: { outcome: 'skipped', cause } as const });
    if (receiver === undefined) return skipped('subscription_gone');
    // Tests and redeliveries are sent even while the subscription is disabled.
    if (!receiver.active && delivery.kind === 'event') return skipped('subscription_disabled');
    if (body === undefined) {
      if (mayStillEnter(delivery, new Date()))
        throw new Error('the event of the delivery is not in the log yet');
      return skipped('event_gone');
    }
    if ('problem' in receiver) return { receiver, outcome: failedByConfiguration(receiver.problem) };
    if (performance.now() > deadline) throw new Error('the claim is too old to be sent');
    return { receiver, outcome: await post(delivery, receiver, body) };
  };

  /**
   * Requeues the delivery on any error. Errors occur only before the POST: the POST itself always ends in an outcome.
   */
  const attemptOrGiveBack = async (delivery: ClaimedDelivery, deadline: number) => {
    try {
      return await attempt(delivery, deadline);
    } catch (error) {
      await outcomes.giveBack(delivery);
      throw error;
    }
  };

  /** The deliveries that failed in an outage of this service and were not sent. Empty unless this one is among them. */
  const failedByOutage = async (ended: Ended, receiver: FoundReceiver): Promise<readonly Ended[]> => {
    const { delivery, outcome } = ended;
    if (receiver === undefined || !('url' in receiver) || outcome.outcome === 'skipped') return [];
    if (!isTelling(outcome)) return [];
    const failed = await outage.note(ended, {
      origin: new URL(receiver.url).origin,
      organizationId: delivery.organizationId,
      isEvent: delivery.kind === 'event',
      reached: reachedHost(outcome),
    });
    return failed.includes(ended) ? failed : [];
  };

  /**
   * Stores the outcome of a delivery. If it failed in an outage of this service, requeues it instead, together with the
   * other deliveries that failed in the outage.
   *
   * @returns the subscriptions of the requeued deliveries
   */
  const conclude = async (ended: Ended, receiver: FoundReceiver): Promise<readonly string[]> => {
    const unsent = await failedByOutage(ended, receiver);
    if (unsent.length === 0) {
      await outcomes.finish(ended);
      options.onReport(ended);
      return [];
    }
    const returning = unsent.map((each) =>
      each === ended ? outcomes.giveBack(each.delivery) : outcomes.takeBack(each),
    );
    for (const result of await Promise.allSettled(returning)) {
      if (result.status === 'rejected') onError(result.reason);
    }
    return [...new Set(unsent.map(({ delivery }) => delivery.subscriptionId))];
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

  return { claim, send, giveBack: outcomes.giveBack };
};
