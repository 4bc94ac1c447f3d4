import type { Attempt, DeliveryKind, FailureCause, SkipReason, Timings } from '@chairside/domain';
import type { Collection } from 'mongodb';
import { untilNoDeadlock } from '../driver/ferretdb.ts';
import { atOnce, insertNew } from '../driver/statements.ts';
import type { EventUse } from '../events/event-log.ts';
import { keptReopened, reopenedBy, requeued } from './reopened.ts';

/** How long a delivery is kept after it is final: 30 days. */
export const DELIVERY_LIFE_MS = 30 * 24 * 60 * 60 * 1000;

export type DeliveryDocument = {
  _id: string;
  organizationId: string;
  clinicId: string;
  subscriptionId: string;
  eventId: string;
  event: string;
  kind: DeliveryKind;
  status: 'queued' | 'sending' | 'succeeded' | 'failed' | 'skipped' | 'interrupted';
  createdTime: Date;
  /** The delivery that this one repeats. */
  redeliveryOf?: string;
  /** The request whose write caused the event. */
  requestId?: string;
  /** The size of the event's body, which an attempt holds in memory. */
  bodyBytes?: number;
  /** Identifies the claim. Only the holder of the token may store the outcome. */
  token?: string;
  worker?: string;
  claimedAt?: Date;
  attemptTime?: Date;
  duration?: number;
  timings?: Timings;
  statusCode?: number;
  address?: string;
  responseBody?: string;
  cause?: FailureCause | SkipReason;
  reason?: string;
  /** The code of the error that `reason` describes. */
  code?: string;
  finalTime?: Date;
  expireAt?: Date;
  /** Times in hours whose statistics the sweep must compute again, because this delivery has entered or left them late. */
  reopened?: Date[];
};

/** A delivery that waits to be sent. */
export type QueuedDelivery = Pick<
  DeliveryDocument,
  | '_id'
  | 'organizationId'
  | 'clinicId'
  | 'subscriptionId'
  | 'eventId'
  | 'event'
  | 'kind'
  | 'requestId'
  | 'createdTime'
  | 'bodyBytes'
>;

/** A delivery with its shard key. */
export type DeliveryRef = Pick<DeliveryDocument, '_id' | 'subscriptionId'>;

/** The right of one process to make one attempt and to store its outcome. */
type Claim = DeliveryRef & { token: string };

/** A delivery that only this process may send. */
export type ClaimedDelivery = QueuedDelivery & Claim;

export type NewDelivery = Omit<QueuedDelivery, 'createdTime'> & {
  skip?: SkipReason;
  redeliveryOf?: string;
  /**
   * Present if its creator sends the delivery at once. The delivery is then stored as claimed at this time of
   * the database's clock.
   */
  claim?: { token: string; worker: string; claimedAt: Date };
};

/** How a claimed delivery ended. */
export type Outcome = Attempt | { outcome: 'skipped'; cause: SkipReason };

/** The deliveries of all organizations, as the dispatcher uses them. */
export type Deliveries = {
  /**
   * Stores the deliveries that do not exist yet, as queued, claimed or skipped.
   *
   * @returns the ids of those that existed already
   */
  insert(deliveries: readonly NewDelivery[], now: Date): Promise<Set<string>>;
  /** Queued deliveries of this subscription, in no particular order. */
  queued(subscriptionId: string, limit: number): Promise<QueuedDelivery[]>;
  /**
   * Claims queued deliveries. If several callers claim the same delivery, only one of them gets it.
   *
   * @param token must be new for each call
   * @returns the deliveries that this caller has claimed
   */
  claim<D extends DeliveryRef>(
    deliveries: readonly D[],
    token: string,
    worker: string,
  ): Promise<(D & Claim)[]>;
  /**
   * Stores the outcomes of deliveries that still have the token of the claim. An outcome may replace
   * `interrupted`.
   */
  finish(ended: readonly { delivery: Claim; outcome: Outcome }[], now: Date): Promise<void>;
  /** Requeues deliveries that were claimed but not sent, even if they were stored as failed. */
  release(claims: readonly Claim[]): Promise<void>;
  /**
   * Stores queued deliveries of events to this subscription as skipped. Redeliveries and tests, which an operator asked
   * for, stay queued.
   */
  skipQueued(subscriptionId: string, cause: SkipReason, now: Date): Promise<number>;
  /** Requeues deliveries of events that were skipped since this subscription was wrongly disabled. */
  requeueSkipped(subscriptionId: string, since: Date): Promise<number>;
  /** Stores deliveries that were claimed before `claimedBefore` and have no outcome as interrupted. */
  interrupt(claimedBefore: Date, now: Date): Promise<number>;
};

const ended = (now: Date) => ({ finalTime: now, expireAt: new Date(now.getTime() + DELIVERY_LIFE_MS) });

const toUpdate = (outcome: Outcome) => {
  if (outcome.outcome === 'skipped') return { status: 'skipped' as const, cause: outcome.cause };
  const { outcome: status, attemptTime, duration, timings, statusCode, address, responseBody } = outcome;
  return {
    status,
    attemptTime,
    duration,
    timings,
    ...(statusCode !== undefined && { statusCode }),
    ...(address !== undefined && { address }),
    ...(responseBody !== undefined && { responseBody }),
    ...(outcome.outcome === 'failed' && { cause: outcome.cause, reason: outcome.reason }),
    ...(outcome.outcome === 'failed' && outcome.code !== undefined && { code: outcome.code }),
  };
};

/** The document of a new delivery: queued, claimed or skipped. */
export const toDocument = ({ skip, claim, ...delivery }: NewDelivery, now: Date): DeliveryDocument => {
  const document = { ...delivery, createdTime: now };
  if (skip !== undefined) return { ...document, status: 'skipped', cause: skip, ...ended(now) };
  return claim === undefined
    ? { ...document, status: 'queued' }
    : { ...document, status: 'sending', ...claim };
};

const WAITING = {
  organizationId: 1,
  clinicId: 1,
  subscriptionId: 1,
  eventId: 1,
  event: 1,
  kind: 1,
  requestId: 1,
  createdTime: 1,
  bodyBytes: 1,
} as const;

/** Matches these deliveries. The subscriptions are the shard key, so `mongos` asks only the shards that have them. */
const among = (deliveries: readonly DeliveryRef[]) => ({
  _id: { $in: deliveries.map(({ _id }) => _id) },
  subscriptionId: { $in: [...new Set(deliveries.map(({ subscriptionId }) => subscriptionId))] },
});

/** Finds the deliveries of events, as far as the log of events needs them. */
export const eventUsesIn =
  (collection: Collection<DeliveryDocument>) =>
  (eventIds: readonly string[]): Promise<EventUse[]> =>
    collection
      .find<EventUse>({ eventId: { $in: [...eventIds] } }, { projection: { eventId: 1, expireAt: 1 } })
      .toArray();

export const openDeliveries = (collection: Collection<DeliveryDocument>): Deliveries => {
  /** With retries, because concurrent claims, outcomes and skips of one subscription write the same documents. */
  const updateMany: Collection<DeliveryDocument>['updateMany'] = (...given) =>
    untilNoDeadlock(() => collection.updateMany(...given));
  return {
    insert: (deliveries, now) =>
      insertNew(
        collection,
        deliveries.map((delivery) => toDocument(delivery, now)),
      ),

    queued: (subscriptionId, limit) =>
      collection
        .find<QueuedDelivery>(
          { subscriptionId, status: 'queued' },
          { projection: WAITING, limit, ...atOnce(limit) },
        )
        .toArray(),

    async claim(deliveries, token, worker) {
      const { modifiedCount } = await updateMany(
        { ...among(deliveries), status: 'queued' },
        { $set: { status: 'sending', token, worker }, $currentDate: { claimedAt: true } },
        // The query must not use the index of queued deliveries, because a subscription may have many more of
        // those.
        { hint: { _id: 1 } },
      );
      const claimed = deliveries.map((delivery) => ({ ...delivery, token }));
      if (modifiedCount === deliveries.length) return claimed;
      if (modifiedCount === 0) return [];
      const own = await collection
        .find({ ...among(deliveries), token }, { projection: { _id: 1 }, ...atOnce(deliveries.length) })
        .toArray();
      const ids = new Set(own.map(({ _id }) => _id));
      return claimed.filter(({ _id }) => ids.has(_id));
    },

    async finish(group, now) {
      // One statement for all outcomes. Each document finds its own outcome by its id and its present token.
      const keys = group.map(({ delivery: { _id, token } }) => `${_id} ${token}`);
      const outcomes = group.map(({ outcome }) => ({ ...toUpdate(outcome), ...ended(now) }));
      await updateMany(
        {
          ...among(group.map(({ delivery }) => delivery)),
          token: { $in: [...new Set(group.map(({ delivery }) => delivery.token))] },
          status: { $in: ['sending', 'interrupted'] },
        },
        [
          { $set: { ending: { $indexOfArray: [{ $literal: keys }, { $concat: ['$_id', ' ', '$token'] }] } } },
          // Removes the reason of an interruption, because the outcome is known now.
          {
            $set: {
              reason: { $cond: [{ $lt: ['$ending', 0] }, '$reason', '$$REMOVE'] },
              reopened: { $cond: [{ $lt: ['$ending', 0] }, keptReopened, reopenedBy(now)] },
            },
          },
          {
            $replaceWith: {
              $cond: [
                { $lt: ['$ending', 0] },
                '$$ROOT',
                { $mergeObjects: ['$$ROOT', { $arrayElemAt: [{ $literal: outcomes }, '$ending'] }] },
              ],
            },
          },
          { $unset: 'ending' },
        ],
      );
    },

    async release(group) {
      const attempt = ['token', 'worker', 'claimedAt', 'attemptTime', 'duration', 'timings', 'address'];
      const verdict = ['cause', 'reason', 'code', 'finalTime', 'expireAt'];
      // One statement for each token, so that a delivery stays claimed if another process has claimed it in
      // between.
      await Promise.all(
        [...Map.groupBy(group, ({ token }) => token)].map(([token, claims]) =>
          updateMany(
            { ...among(claims), token, status: { $in: ['sending', 'interrupted', 'failed'] } },
            requeued([...attempt, ...verdict]),
          ),
        ),
      );
    },

    async skipQueued(subscriptionId, cause, now) {
      const { modifiedCount } = await updateMany(
        { subscriptionId, status: 'queued', kind: 'event' },
        { $set: { status: 'skipped', cause, ...ended(now) } },
      );
      return modifiedCount;
    },

    async requeueSkipped(subscriptionId, since) {
      const { modifiedCount } = await updateMany(
        {
          subscriptionId,
          kind: 'event',
          status: 'skipped',
          cause: 'subscription_disabled',
          // Finds the deliveries that ended since then, with an index.
          expireAt: { $gte: ended(since).expireAt },
        },
        requeued(['cause', 'finalTime', 'expireAt']),
      );
      return modifiedCount;
    },

    async interrupt(claimedBefore, now) {
      const { modifiedCount } = await updateMany(
        { status: 'sending', claimedAt: { $lt: claimedBefore } },
        {
          $set: {
            status: 'interrupted',
            reason: 'The process ended during the attempt. It is unknown whether the webhook arrived.',
            ...ended(now),
          },
        },
      );
      return modifiedCount;
    },
  };
};
