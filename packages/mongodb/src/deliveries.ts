import type { Attempt, DeliveryKind, FailureCause, SkipReason, Timings } from '@chairside/domain';
import type { Collection } from 'mongodb';
import { atOnce, insertNew } from './database.ts';
import { untilNoDeadlock } from './ferretdb.ts';

/** How long a Delivery is kept after it is final, in milliseconds: 30 days. */
const DELIVERY_LIFE = 30 * 24 * 60 * 60 * 1000;

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
  /** Of which Delivery this one sends the event again. */
  redeliveryOf?: string;
  /** The request whose write the event tells of. */
  requestId?: string;
  /** The size of the event's body: what an attempt holds in memory. */
  bodyBytes?: number;
  /** Who sends it: only the holder of the token may say how it ended. */
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
  /** The code of the error that `reason` is about. */
  code?: string;
  finalTime?: Date;
  expireAt?: Date;
};

/** A Delivery that waits to be sent. */
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
  | 'bodyBytes'
>;

/** A delivery, and where a sharded database has it. */
export type DeliveryRef = Pick<DeliveryDocument, '_id' | 'subscriptionId'>;

/** The right of one process to make one attempt, and to store how it ended. */
type Claim = DeliveryRef & { token: string };

/** A Delivery that this process alone may send. */
export type ClaimedDelivery = QueuedDelivery & Claim;

export type NewDelivery = QueuedDelivery & {
  skip?: SkipReason;
  redeliveryOf?: string;
  /** Whoever makes it sends it at once: it is stored as claimed at this time of the database's clock. */
  claim?: { token: string; worker: string; claimedAt: Date };
};

/** How a claimed Delivery ended. */
export type Outcome = Attempt | { outcome: 'skipped'; cause: SkipReason };

/** The Deliveries of all organizations, as the dispatcher uses them. */
export type Deliveries = {
  /**
   * Adds those that are not there yet: queued, claimed, or finished as skipped.
   *
   * @returns the ids of those that were there already: somebody else made them
   */
  insert(deliveries: readonly NewDelivery[], now: Date): Promise<Set<string>>;
  /** Deliveries that wait for this subscription, in no order. */
  queued(subscriptionId: string, limit: number): Promise<QueuedDelivery[]>;
  /**
   * Takes queued Deliveries for sending. Of several callers one gets each.
   *
   * @param token used for this call alone
   * @returns those this caller got
   */
  claim<D extends DeliveryRef>(
    deliveries: readonly D[],
    token: string,
    worker: string,
  ): Promise<(D & Claim)[]>;
  /** Stores how claimed Deliveries ended. Only the token's holder is believed; it may correct `interrupted`. */
  finish(ended: readonly { delivery: Claim; outcome: Outcome }[], now: Date): Promise<void>;
  /** Puts back in the queue what was claimed and never sent, also after it was finished as failed. */
  release(claims: readonly Claim[]): Promise<void>;
  /** Finishes as skipped the events that wait for this subscription; what an operator asked for is sent still. */
  skipQueued(subscriptionId: string, cause: SkipReason, now: Date): Promise<number>;
  /** Puts back in the queue the events that were skipped since this subscription was disabled: it should not have been. */
  requeueSkipped(subscriptionId: string, since: Date): Promise<number>;
  /** Marks what was claimed before that time and never finished. */
  interrupt(claimedBefore: Date, now: Date): Promise<number>;
};

const ended = (now: Date) => ({ finalTime: now, expireAt: new Date(now.getTime() + DELIVERY_LIFE) });

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

/** A new Delivery as it is stored: queued, claimed, or finished as skipped. */
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
  bodyBytes: 1,
} as const;

/** These deliveries. With their subscriptions, the shard key, `mongos` asks the shards that have them and no other. */
const among = (deliveries: readonly DeliveryRef[]) => ({
  _id: { $in: deliveries.map(({ _id }) => _id) },
  subscriptionId: { $in: [...new Set(deliveries.map(({ subscriptionId }) => subscriptionId))] },
});

export const openDeliveries = (collection: Collection<DeliveryDocument>): Deliveries => {
  /** Claims, outcomes and skips of one subscription meet in the same documents. */
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
        // Not the index of what waits for these subscriptions: that may be much more.
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
      // One statement for all: each document looks its own outcome up, by its id and the token it has now.
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
          // What was told of an interruption is not true any more.
          { $set: { reason: { $cond: [{ $lt: ['$ending', 0] }, '$reason', '$$REMOVE'] } } },
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
      const unset = Object.fromEntries([...attempt, ...verdict].map((field) => [field, ''] as const));
      // Each token by itself: what was claimed anew since stays claimed.
      await Promise.all(
        [...Map.groupBy(group, ({ token }) => token)].map(([token, claims]) =>
          updateMany(
            { ...among(claims), token, status: { $in: ['sending', 'interrupted', 'failed'] } },
            { $set: { status: 'queued' }, $unset: unset },
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
          // Of what has ended since then, by an index.
          expireAt: { $gte: ended(since).expireAt },
        },
        { $set: { status: 'queued' }, $unset: { cause: '', finalTime: '', expireAt: '' } },
      );
      return modifiedCount;
    },

    async interrupt(claimedBefore, now) {
      const { modifiedCount } = await updateMany(
        { status: 'sending', claimedAt: { $lt: claimedBefore } },
        {
          $set: {
            status: 'interrupted',
            reason: 'The process died during the attempt: whether it arrived is unknown.',
            ...ended(now),
          },
        },
      );
      return modifiedCount;
    },
  };
};
