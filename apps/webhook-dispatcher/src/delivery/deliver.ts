import type { SkipReason } from '@chairside/domain';
import type {
  ClaimedDelivery,
  DisabledSubscription,
  EveryOrganization,
  Outcome,
  QueuedDelivery,
} from '@chairside/mongodb';
import { batched } from '@chairside/runtime';
import { type OutageWatch, reachedHost } from '../outage.ts';
import type { Bodies } from './bodies.ts';
import { createOutcomes, type Ended } from './outcomes.ts';
import { createPost, failedByConfiguration } from './post.ts';
import { createReceiverCache, type FoundReceiver } from './receiver-cache.ts';
import type { Sender } from './send.ts';

/** The most deliveries that are claimed in one round trip. */
const MAX_GROUP = 200;
/** How long claims gather after others were made, in milliseconds: what finds its lane free needs none. */
const GATHERING = 5;

/** What one delivery went through, for the log: ids, timings and causes, nothing of the patient. */
export type DeliveryReport = { delivery: ClaimedDelivery; outcome: Outcome };

export type DeliverOptions = Pick<EveryOrganization, 'deliveries' | 'receivers'> & {
  worker: string;
  bodies: Pick<Bodies, 'expect' | 'of'>;
  sender: Pick<Sender, 'send'>;
  outage: Pick<OutageWatch<Ended>, 'note'>;
  onReport(report: DeliveryReport): void;
  onDisabled(subscriptionId: string, disabled: DisabledSubscription): void;
  onError(error: unknown): void;
};

/** What the end of a claimed delivery means for its lane. */
export type Delivered = {
  /** Whether its receiver was called: what is skipped says nothing of it. */
  attempted: boolean;
  /** Whether the receiver did not respond until the deadline. */
  timedOut: boolean;
  /** The subscriptions whose deliveries were put back in the queue, because an outage of this service failed them. */
  requeued: readonly string[];
  /** Resolves when the outcome is stored. That of a failure is stored already: its streak may disable the subscription. */
  stored: Promise<void>;
};

/**
 * The stage that claims a delivery, sends it once, and stores how it ended. Claims, reads and outcomes that come together
 * share a round trip.
 */
export type Deliver = {
  /** @returns undefined when another process was faster: then there is nothing to do */
  claim(delivery: QueuedDelivery): Promise<ClaimedDelivery | undefined>;
  /**
   * @param deadline until when an attempt may begin, by this process's monotonic clock
   * @throws what went wrong before the attempt; the delivery is back in the queue
   */
  send(delivery: ClaimedDelivery, deadline: number): Promise<Delivered>;
  /** Puts back in the queue what was not sent, also if the database may not know of its claim. */
  giveBack(delivery: ClaimedDelivery): Promise<void>;
};

/** Whether an outcome shows if hosts can be reached: what was not dialled does not. */
const isTelling = (outcome: Outcome): boolean =>
  outcome.outcome === 'succeeded' ||
  (outcome.outcome === 'failed' && !['blocked_address', 'configuration'].includes(outcome.cause));

export const createDeliver = (options: DeliverOptions): Deliver => {
  const { bodies, deliveries, outage, onError } = options;
  const receivers = createReceiverCache(options.receivers);
  const post = createPost(options.sender, onError);
  const outcomes = createOutcomes({
    deliveries,
    receivers: options.receivers,
    onError,
    onDisabled: (subscriptionId, disabled) => {
      receivers.forget(subscriptionId);
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
          // One that is asked for twice is claimed once.
          byId.delete(_id);
          return delivery;
        });
      } catch (error) {
        // They may be claimed all the same, and must be back in the queue before anybody looks for them there.
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
    // Last, so that what it says holds when the attempt begins.
    const receiver = await receivers.find(delivery.subscriptionId);
    const skipped = (cause: SkipReason) => ({ receiver, outcome: { outcome: 'skipped', cause } as const });
    if (receiver === undefined) return skipped('subscription_gone');
    // Tests and redeliveries are sent while the subscription is disabled, too.
    if (!receiver.active && delivery.kind === 'event') return skipped('subscription_disabled');
    if (body === undefined) return skipped('event_gone');
    if ('problem' in receiver) return { receiver, outcome: failedByConfiguration(receiver.problem) };
    if (performance.now() > deadline) throw new Error('a claim was too old to be sent');
    return { receiver, outcome: await post(delivery, receiver, body) };
  };

  /** An error was thrown before the POST: the POST itself always ends in an outcome. */
  const attemptOrGiveBack = async (delivery: ClaimedDelivery, deadline: number) => {
    try {
      return await attempt(delivery, deadline);
    } catch (error) {
      await outcomes.giveBack(delivery);
      throw error;
    }
  };

  /** The deliveries that an outage of this service failed, as it turns out with this one. They were not sent. */
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
   * Stores how a delivery ended, unless an outage of this service failed it: then puts it back in the queue, with the
   * others that the outage has failed.
   *
   * @returns the subscriptions of what was put back
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
    const concluded = conclude({ delivery, outcome, activation: receiver?.activation ?? 0 }, receiver);
    if (outcome.outcome === 'succeeded') {
      return { attempted: true, timedOut: false, requeued: [], stored: concluded.then(() => {}) };
    }
    const attempted = outcome.outcome === 'failed' && outcome.cause !== 'configuration';
    const timedOut = attempted && outcome.cause === 'timeout';
    return { attempted, timedOut, requeued: await concluded, stored: Promise.resolve() };
  };

  return { claim, send, giveBack: outcomes.giveBack };
};
