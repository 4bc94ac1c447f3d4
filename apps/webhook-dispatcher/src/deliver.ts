import { type Attempt, grouped, type Receiver, type SkipReason } from '@chairside/domain';
import type {
  ClaimedDelivery,
  DisabledSubscription,
  EveryOrganization,
  Outcome,
  QueuedDelivery,
  UnusableReceiver,
} from '@chairside/mongodb';
import { createSigner, type Signer } from '@chairside/signing';
import type { Bodies } from './bodies.ts';
import { UNUSABLE } from './failure-reasons.ts';
import { type OutageWatch, reachedHost } from './outage.ts';
import { createOutcomes, type Ended } from './outcomes.ts';
import type { Sender } from './send.ts';

/** The most Deliveries that share a round trip. */
const MAX_GROUP = 200;
/** How long claims gather after others were made, in milliseconds: what finds its lane free needs none. */
const GATHERING = 5;
/** How long a subscription is believed without being read again, in milliseconds; below one second by contract. */
const RECEIVER_LIFE = 500;
/** How old what is known of a subscription may be when an attempt begins, in milliseconds. */
const MAX_RECEIVER_AGE = 900;
const MAX_SIGNERS = 10_000;

/** What one Delivery went through, for the log: ids, timings and causes, nothing of the patient. */
export type DeliveryReport = { delivery: ClaimedDelivery; outcome: Outcome };

export type DeliverOptions = Pick<EveryOrganization, 'deliveries' | 'receivers'> & {
  worker: string;
  bodies: Pick<Bodies, 'expect' | 'of'>;
  sender: Pick<Sender, 'send'>;
  userAgent: string;
  outage: OutageWatch<Ended>;
  /** Has the lanes of these subscriptions look again for what waits. */
  reopen(subscriptionIds: readonly string[]): Promise<void>;
  onReport(report: DeliveryReport): void;
  onDisabled(subscriptionId: string, disabled: DisabledSubscription): void;
  onError(error: unknown): void;
};

/** What the end of a claimed Delivery means for its lane. */
export type Delivered = {
  /** Whether its receiver was asked: what is skipped says nothing of it. */
  attempted: boolean;
  /** Whether the receiver kept silent until the deadline. */
  timedOut: boolean;
  /** Whether the Delivery is back in the queue. */
  unsent: boolean;
  /** Resolves when the outcome is stored. For a failure it is by now: its streak may disable the subscription. */
  stored: Promise<void>;
};

/**
 * The stage that claims a Delivery, sends it once, and stores how it ended. Whatever Deliveries have in common at one
 * moment (claims, reads, outcomes) they do in one round trip.
 */
export type Deliver = {
  /** @returns undefined when another process was faster: then there is nothing to do */
  claim(delivery: QueuedDelivery): Promise<ClaimedDelivery | undefined>;
  /**
   * @param deadline until when an attempt may begin, by this process's monotonic clock
   * @throws what went wrong before the attempt; the Delivery is back in the queue
   */
  send(delivery: ClaimedDelivery, deadline: number): Promise<Delivered>;
  /** Puts back in the queue what was not sent, also if the database may not know of its claim. */
  giveBack(delivery: ClaimedDelivery): Promise<void>;
};

type FoundReceiver = Receiver | UnusableReceiver;
type Cached = { receiver: FoundReceiver | undefined; readAt: number };

/** The outcome of a Delivery that cannot be sent as its subscription is stored; no attempt was made. */
const failedByConfiguration = (reason: string): Attempt => ({
  outcome: 'failed',
  cause: 'configuration',
  reason,
  attemptTime: new Date(),
  duration: 0,
  timings: {},
});

/** Whether an outcome says something of our way out: what was not dialled says nothing. */
const isTelling = (outcome: Outcome): boolean =>
  outcome.outcome === 'succeeded' ||
  (outcome.outcome === 'failed' && !['blocked_address', 'configuration'].includes(outcome.cause));

export const createDeliver = (options: DeliverOptions): Deliver => {
  const { worker, bodies, deliveries, receivers, sender, userAgent, outage } = options;

  const claim = grouped<QueuedDelivery, ClaimedDelivery | undefined>(
    async (group) => {
      const token = crypto.randomUUID();
      try {
        const claimed = await deliveries.claim(group, token, worker);
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
          await outcomes.giveBack({ ...delivery, token }).catch(options.onError);
          throw error;
        });
      }
    },
    MAX_GROUP,
    { rest: GATHERING },
  );

  const cache = new Map<string, Cached>();
  const readReceiver = grouped<string, Cached>(async (ids) => {
    const readAt = performance.now();
    const found = await receivers.find(ids);
    if (cache.size > MAX_SIGNERS) cache.clear();
    return ids.map((id) => {
      const cached = { receiver: found.get(id), readAt };
      cache.set(id, cached);
      return cached;
    });
  }, MAX_GROUP);
  const isYoung = ({ readAt }: Cached, life: number): boolean => performance.now() - readAt < life;
  /** @throws {Error} when it could not be read in time: nothing may be sent then */
  const receiverOf = async (id: string): Promise<FoundReceiver | undefined> => {
    const cached = cache.get(id);
    if (cached !== undefined && isYoung(cached, RECEIVER_LIFE)) return cached.receiver;
    const read = await readReceiver(id);
    if (isYoung(read, MAX_RECEIVER_AGE)) return read.receiver;
    throw new Error('the subscription was not read within a second');
  };

  const signers = new Map<string, Signer>();
  const signerOf = ({ secret }: Receiver): Signer => {
    let signer = signers.get(secret);
    if (signer === undefined) {
      if (signers.size >= MAX_SIGNERS) signers.clear();
      signer = createSigner({ secret });
      signers.set(secret, signer);
    }
    return signer;
  };

  const outcomes = createOutcomes({
    deliveries,
    receivers,
    onError: options.onError,
    onDisabled: (subscriptionId, disabled) => {
      cache.delete(subscriptionId);
      options.onDisabled(subscriptionId, disabled);
    },
  });
  /** Stores how it ended, unless it was our own outage that failed it, and what else that has failed. */
  const conclude = async (ended: Ended, url: string | undefined): Promise<boolean> => {
    const { outcome } = ended;
    const reach = url !== undefined &&
      outcome.outcome !== 'skipped' &&
      isTelling(outcome) && {
        origin: new URL(url).origin,
        organizationId: ended.delivery.organizationId,
        isEvent: ended.delivery.kind === 'event',
        reached: reachedHost(outcome),
      };
    const unsent = reach ? await outage.note(ended, reach) : [];
    if (!unsent.includes(ended)) {
      await outcomes.finish(ended);
      return true;
    }
    try {
      await Promise.all(
        unsent.map((each) => (each === ended ? outcomes.giveBack(each.delivery) : outcomes.takeBack(each))),
      );
    } finally {
      await options.reopen([...new Set(unsent.map(({ delivery }) => delivery.subscriptionId))]);
    }
    return false;
  };

  /** Whatever cannot be signed or made a request of fails: it would not get better by being tried again. */
  const post = async (delivery: ClaimedDelivery, receiver: Receiver, body: string): Promise<Attempt> => {
    try {
      return await sender.send({
        url: receiver.url,
        body,
        headers: {
          'content-type': 'application/json',
          'user-agent': userAgent,
          'x-service-event': delivery.event,
          'x-service-event-id': delivery.eventId,
          'x-service-delivery-id': delivery._id,
          'x-service-signature': signerOf(receiver).sign({ body, timestamp: Math.floor(Date.now() / 1000) }),
        },
      });
    } catch (error) {
      options.onError(error);
      return failedByConfiguration(UNUSABLE);
    }
  };

  const attempt = async (
    delivery: ClaimedDelivery,
    deadline: number,
  ): Promise<{ outcome: Outcome; receiver: FoundReceiver | undefined }> => {
    const body = await bodies.of(delivery);
    // Last, so that what it says holds when the attempt begins.
    const receiver = await receiverOf(delivery.subscriptionId);
    const skipped = (cause: SkipReason) => ({ receiver, outcome: { outcome: 'skipped', cause } as const });
    if (receiver === undefined) return skipped('subscription_gone');
    // What an operator asked for is sent while the subscription is disabled, too.
    if (!receiver.active && delivery.kind === 'event') return skipped('subscription_disabled');
    if (body === undefined) return skipped('event_gone');
    if ('problem' in receiver) return { receiver, outcome: failedByConfiguration(receiver.problem) };
    if (performance.now() > deadline) throw new Error('a claim was too old to be sent');
    return { receiver, outcome: await post(delivery, receiver, body) };
  };

  /** Whatever throws has thrown before the POST: that ends in an outcome. */
  const attemptOrGiveBack = async (delivery: ClaimedDelivery, deadline: number) => {
    try {
      return await attempt(delivery, deadline);
    } catch (error) {
      await outcomes.giveBack(delivery);
      throw error;
    }
  };

  const send = async (delivery: ClaimedDelivery, deadline: number): Promise<Delivered> => {
    const { receiver, outcome } = await attemptOrGiveBack(delivery, deadline);
    const url = receiver !== undefined && 'url' in receiver ? receiver.url : undefined;
    const ended: Ended = { delivery, outcome, activation: receiver?.activation ?? 0 };
    const concluded = conclude(ended, url).then((isFinal) => {
      if (isFinal) options.onReport({ delivery, outcome });
      return isFinal;
    });
    if (outcome.outcome === 'succeeded') {
      return { attempted: true, timedOut: false, unsent: false, stored: concluded.then(() => {}) };
    }
    const attempted = outcome.outcome === 'failed' && outcome.cause !== 'configuration';
    const timedOut = attempted && outcome.cause === 'timeout';
    return { attempted, timedOut, unsent: !(await concluded), stored: Promise.resolve() };
  };

  return { claim, send, giveBack: outcomes.giveBack };
};
