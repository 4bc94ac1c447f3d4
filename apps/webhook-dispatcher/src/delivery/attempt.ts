import { isSlowed, RetryLaterError, type SkipReason } from '@chairside/domain';
import { UnreadableValueError } from '@chairside/mongodb';
import type { ClaimedDelivery, Outcome, StoredReceiver } from '@chairside/mongodb/dispatch';
import { LRUCache } from 'lru-cache';
import type { Outbound } from '../outbound/outbound.ts';
import type { Bodies } from './bodies.ts';
import { failedByConfiguration, type Post } from './post.ts';
import type { FoundReceiver, ReceiverCache } from './receiver-cache.ts';

/**
 * How long an event is missing from the log before it counts as gone, since this process has missed it first. An event
 * enters the log after its deliveries are stored. If the process that stored them crashes in between, or the database does,
 * the sweep enters the event within seconds. The age of a delivery does not show this: it may have waited for a dispatcher
 * or for the database.
 */
const GONE_AFTER_MS = 60_000;
/** Maximum number of missing events that are remembered: as many as all lanes have in their pages. */
const MAX_MISSING = 50_000;

export type AttemptOptions = {
  bodies: Pick<Bodies, 'of'>;
  receiverCache: Pick<ReceiverCache, 'find'>;
  outbound: Pick<Outbound, 'check'>;
  post: Post;
};

/**
 * Why nothing was sent, so that the delivery waits: its subscription is slowed down and there is no permit, or the delivery may
 * not leave now.
 */
export type Unsent = 'slowed' | 'withheld';

/**
 * Makes the attempt of a claimed delivery. If no attempt is possible, returns the outcome `skipped`, or the outcome
 * `failed` with the cause `configuration`, or why the delivery waits.
 *
 * @param when.deadline latest time at which the attempt may begin, on this process's monotonic clock
 * @param when.permit the token of the subscription's permit, if the caller has it
 * @throws any error that occurred before the POST. The POST itself always ends in an outcome.
 */
export type AttemptDelivery = (
  delivery: ClaimedDelivery,
  when: { deadline: number; permit?: string | undefined },
) => Promise<{ outcome: Outcome | Unsent; receiver: FoundReceiver }>;

const unreadable = (error: unknown): UnreadableValueError => {
  if (error instanceof UnreadableValueError) return error;
  throw error;
};

export const createAttempt = ({ bodies, receiverCache, outbound, post }: AttemptOptions): AttemptDelivery => {
  /** The times at which events were missed first, on this process's monotonic clock. */
  const missedAt = new LRUCache<string, number>({ max: MAX_MISSING });
  const isGone = (eventId: string): boolean => {
    const now = performance.now();
    const since = missedAt.get(eventId) ?? now;
    missedAt.set(eventId, since);
    return now - since >= GONE_AFTER_MS;
  };

  /** Makes the attempt for a receiver and a body that are there. */
  const attemptAt = async (
    delivery: ClaimedDelivery,
    receiver: StoredReceiver,
    body: string,
    { deadline, permit }: Parameters<AttemptDelivery>[1],
  ): Promise<Outcome | Unsent> => {
    const permission = await outbound.check(delivery, receiver);
    if (permission === 'off') return { outcome: 'skipped', cause: 'outbound_off' };
    if (permission === 'withheld') return 'withheld';
    if (isSlowed(receiver) && permit === undefined) return 'slowed';
    if ('problem' in receiver) return failedByConfiguration(receiver.problem);
    if (performance.now() > deadline) throw new RetryLaterError('the claim is too old to be sent');
    return post(delivery, receiver, body);
  };

  return async (delivery, when) => {
    const body = await bodies.of(delivery).catch(unreadable);
    // The receiver is read last, so that its data is recent when the attempt begins.
    const receiver = await receiverCache.find(delivery.subscriptionId);
    const skipped = (cause: SkipReason) => ({ receiver, outcome: { outcome: 'skipped', cause } as const });
    if (receiver === undefined) return skipped('subscription_gone');
    // Tests and redeliveries are sent even while the subscription is disabled.
    if (!receiver.active && delivery.kind === 'event') return skipped('subscription_disabled');
    if (body instanceof UnreadableValueError) return skipped('event_unreadable');
    if (body === undefined) {
      if (isGone(delivery.eventId)) return skipped('event_gone');
      throw new RetryLaterError('the event of the delivery is not in the log yet');
    }
    return { receiver, outcome: await attemptAt(delivery, receiver, body, when) };
  };
};
