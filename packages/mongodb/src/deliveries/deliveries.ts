import {
  type Attempt,
  type DeliveryKind,
  deliveryIdsOf,
  type FailureCause,
  type Payload,
  type ResponseHeaders,
  ServiceError,
  type SkipReason,
  type Timings,
  timeOfId,
} from '@chairside/domain';
import { Binary, type Filter } from 'mongodb';
import type { Collection } from '../driver/database.ts';
import { updatesUntilNoDeadlock } from '../driver/ferretdb.ts';
import { rowsOf } from '../driver/rows.ts';
import { atMost, atOnce, byId, insertNew } from '../driver/statements.ts';
import { type Cipher, type Ciphers, UnreadableValueError } from '../encryption/ciphers.ts';
import { KeysDestroyedError } from '../encryption/data-keys.ts';
import type { EventUse } from '../events/event-log.ts';
import { distinctLanes, type LaneRef } from '../lanes/lane-store.ts';
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
  /** The bulk redelivery that created this delivery. */
  bulkId?: string;
  /** The request whose write caused the event. */
  requestId?: string;
  /** The size of the event's body in bytes, which an attempt holds in memory. */
  bodyBytes?: number;
  /** An operator of the service has released the delivery, although dispatchers hold others. */
  released?: true;
  /** Identifies the claim. Only the holder of the token may store the outcome of the attempt. */
  token?: string;
  worker?: string;
  claimedAt?: Date;
  attemptTime?: Date;
  duration?: number;
  timings?: Timings;
  statusCode?: number;
  address?: string;
  responseBodyTruncated?: true;
  payload?: Payload;
  /** The {@link Exchange}, sealed. */
  sealed?: Binary;
  cause?: FailureCause | SkipReason;
  reason?: string;
  /** The code of the error that `reason` describes. */
  code?: string;
  finalTime?: Date;
  expireAt?: Date;
  /**
   * A time in each hour whose statistics the sweep must compute again, because this delivery was added to the hour or
   * removed from it after the hour was closed.
   */
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
  | 'released'
>;

/** The right of one process to make one attempt and to store its outcome. */
type Claim = { _id: string; token: string };

/** A delivery that only this process may send. */
export type ClaimedDelivery = QueuedDelivery & Claim;

export type NewDelivery = Omit<QueuedDelivery, 'createdTime'> & {
  skip?: SkipReason;
  redeliveryOf?: string;
  bulkId?: string;
  /**
   * Present if the creator of the delivery sends it at once. The delivery is then stored as claimed, with the
   * database's time.
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
   * @returns the ids of the deliveries that already existed
   */
  insert(deliveries: readonly NewDelivery[], now: Date): Promise<Set<string>>;
  /** The lanes of these deliveries, each once. */
  lanesOf(ids: readonly string[]): Promise<LaneRef[]>;
  /**
   * Queued deliveries of this subscription, in no particular order.
   *
   * @param which.isReleased only those that were released
   */
  queued(subscriptionId: string, limit: number, which?: { isReleased: boolean }): Promise<QueuedDelivery[]>;
  /** The time and the URL of the last delivery of this subscription that succeeded, if it is still stored. */
  lastSuccess(subscriptionId: string): Promise<{ finalTime: Date; url?: string } | undefined>;
  /** The same for tests and redeliveries. */
  requested: Deliveries['queued'];
  /**
   * Claims queued deliveries. If several callers claim the same delivery, only one of them gets it.
   *
   * @param token must be new for each call
   * @returns the deliveries that this caller has claimed
   */
  claim<D extends { _id: string }>(
    deliveries: readonly D[],
    token: string,
    worker: string,
  ): Promise<(D & Claim)[]>;
  /**
   * Stores the outcomes of those deliveries that still have the token of the claim. An outcome may replace
   * `interrupted`.
   */
  finish(
    ended: readonly { delivery: Claim & { organizationId: string }; outcome: Outcome }[],
    now: Date,
  ): Promise<void>;
  /** Requeues deliveries that were claimed but not sent, even if they are stored as failed or interrupted. */
  release(claims: readonly Claim[]): Promise<void>;
  /**
   * Stores the queued event deliveries of this subscription as skipped. Redeliveries and tests stay queued, because an
   * operator requested them.
   */
  skipQueued(subscriptionId: string, cause: SkipReason, now: Date): Promise<number>;
  /** Requeues event deliveries that were skipped after this subscription was wrongly disabled. */
  requeueSkipped(subscriptionId: string, since: Date): Promise<number>;
  /** Marks deliveries as interrupted if they were claimed before `claimedBefore` and have no outcome. */
  interrupt(claimedBefore: Date, now: Date): Promise<number>;
};

/** What is confidential in a delivery: the URL, and what is kept of the response. */
export type Exchange = { url?: string; responseBody?: string; responseHeaders?: ResponseHeaders };

export const exchangePlace = (_id: string) => ({ collection: 'deliveries', _id, field: 'sealed' });

/**
 * The exchange of a delivery: empty if there was no attempt.
 *
 * @throws {UnreadableValueError} if it does not open
 */
export const exchangeOf = (
  { _id, sealed }: Pick<DeliveryDocument, '_id' | 'sealed'>,
  cipher: Cipher,
): Exchange => (sealed === undefined ? {} : JSON.parse(cipher.open(sealed, exchangePlace(_id))));

/** The fields of a delivery that ends now. */
export const ended = (now: Date) => ({
  finalTime: now,
  expireAt: new Date(now.getTime() + DELIVERY_LIFE_MS),
});

/** @param cipher undefined if the organization was deleted with its keys: the exchange is then left out */
const toUpdate = (_id: string, outcome: Outcome, cipher: Cipher | undefined) => {
  if (outcome.outcome === 'skipped') return { status: 'skipped' as const, cause: outcome.cause };
  // The other fields of an attempt are stored as they are. None of them is present without a value.
  const { outcome: status, url, responseBody, responseHeaders, ...attempt } = outcome;
  const exchange: Exchange = {
    ...(url !== undefined && { url }),
    ...(responseBody !== undefined && { responseBody }),
    ...(responseHeaders !== undefined && { responseHeaders }),
  };
  const hasSealed = cipher !== undefined && Object.keys(exchange).length > 0;
  return {
    status,
    ...attempt,
    ...(hasSealed && { sealed: new Binary(cipher.seal(JSON.stringify(exchange), exchangePlace(_id))) }),
  };
};

/**
 * The document of a new delivery: queued, claimed or skipped.
 *
 * @throws {ServiceError} if the id does not begin with that of the event: the event's deliveries could not be found, for example
 *   by an erasure
 */
export const toDocument = ({ skip, claim, ...delivery }: NewDelivery, now: Date): DeliveryDocument => {
  if (!delivery._id.startsWith(`${delivery.eventId}-`))
    throw new ServiceError(`${delivery._id} is no id of a delivery of the event ${delivery.eventId}`);
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
  released: 1,
} as const;

const onlyReleased = ({ isReleased }: { isReleased: boolean } = { isReleased: false }) =>
  isReleased ? { released: true as const } : {};

/** Matches the tests and redeliveries. `redelivery` and `test` are greater than `event`. */
export const isRepeated = { kind: { $gt: 'event' } } as const;
const isRequested = { status: 'queued', ...isRepeated } as const;

/**
 * Matches the deliveries that are final. The condition is a range instead of `$exists`, and is the same as that of the
 * partial indexes: see `hasOutbox`.
 */
export const isFinal = { expireAt: { $gt: new Date(0) } };

const among = (deliveries: readonly { _id: string }[]) => ({
  _id: { $in: deliveries.map(({ _id }) => _id) },
});

/**
 * Matches the deliveries of these events. The search reads the index by `_id` from the first event to the last, so the
 * events must have happened soon after each other: see {@link runsOf}.
 */
export const ofEvents = (eventIds: readonly string[]) => {
  const { after, before } = deliveryIdsOf(eventIds);
  return { _id: { $gt: after, $lt: before }, eventId: { $in: [...eventIds] } };
};

/** Events of one run happened at most this long after each other, in milliseconds. */
const RUN_GAP_MS = 1000;

/** Divides the ids of events into runs, in the order of the events. */
export const runsOf = (eventIds: readonly string[]): string[][] => {
  const runs: string[][] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const eventId of eventIds.toSorted()) {
    const time = timeOfId(eventId).getTime();
    if (time - last <= RUN_GAP_MS) runs.at(-1)?.push(eventId);
    else runs.push([eventId]);
    last = time;
  }
  return runs;
};

/** Returns a function that finds the deliveries of events, with only the fields that the event log needs. */
export const eventUsesIn =
  (collection: Collection<DeliveryDocument>) =>
  async (eventIds: readonly string[]): Promise<EventUse[]> => {
    const uses: EventUse[] = [];
    for (const run of runsOf(eventIds)) {
      const projection = { eventId: 1, expireAt: 1 };
      const found = collection.find<EventUse>(ofEvents(run), { projection, ...byId });
      for await (const use of rowsOf(found, (each) => each)) uses.push(use);
    }
    return uses;
  };

export const openDeliveries = (
  collection: Collection<DeliveryDocument>,
  ciphers: Pick<Ciphers, 'of'>,
): Deliveries => {
  const cipherIfKept = async (organizationId: string): Promise<Cipher | undefined> => {
    try {
      return await ciphers.of(organizationId);
    } catch (error) {
      if (error instanceof KeysDestroyedError) return undefined;
      throw error;
    }
  };
  // Concurrent claims, outcomes and skips of one subscription may write the same documents.
  const updateMany = updatesUntilNoDeadlock(collection);
  const find = (filter: Filter<DeliveryDocument>, limit: number): Promise<QueuedDelivery[]> =>
    collection.find<QueuedDelivery>(filter, { projection: WAITING, ...atMost(limit, 'queued') }).toArray();
  return {
    insert: (deliveries, now) =>
      insertNew(
        collection,
        deliveries.map((delivery) => toDocument(delivery, now)),
      ),

    async lanesOf(ids) {
      const found = await collection
        .find(
          { _id: { $in: [...ids] } },
          { projection: { subscriptionId: 1, organizationId: 1 }, ...byId, ...atOnce(ids.length) },
        )
        .toArray();
      return distinctLanes(found);
    },

    queued: (subscriptionId, limit, which) =>
      find({ subscriptionId, status: 'queued', ...onlyReleased(which) }, limit),
    async lastSuccess(subscriptionId) {
      const found = await collection.findOne<
        Pick<DeliveryDocument, '_id' | 'organizationId' | 'sealed'> & { finalTime: Date }
      >(
        { subscriptionId, status: 'succeeded', ...isFinal },
        { sort: { expireAt: -1 }, projection: { organizationId: 1, finalTime: 1, sealed: 1 } },
      );
      if (found === null) return undefined;
      const { finalTime, organizationId } = found;
      try {
        const cipher = await ciphers.of(organizationId);
        const { url } = await cipher.opening(() => exchangeOf(found, cipher));
        return { finalTime, ...(url !== undefined && { url }) };
      } catch (error) {
        if (error instanceof UnreadableValueError) return undefined;
        throw error;
      }
    },
    requested: (subscriptionId, limit, which) =>
      find({ subscriptionId, ...isRequested, ...onlyReleased(which) } as Filter<DeliveryDocument>, limit),

    async claim(deliveries, token, worker) {
      const { modifiedCount } = await updateMany(
        { ...among(deliveries), status: 'queued' },
        { $set: { status: 'sending', token, worker }, $currentDate: { claimedAt: true } },
        byId,
      );
      const claimed = deliveries.map((delivery) => ({ ...delivery, token }));
      if (modifiedCount === deliveries.length) return claimed;
      if (modifiedCount === 0) return [];
      const own = await collection
        .find(
          { ...among(deliveries), token },
          { projection: { _id: 1 }, ...byId, ...atOnce(deliveries.length) },
        )
        .toArray();
      const ids = new Set(own.map(({ _id }) => _id));
      return claimed.filter(({ _id }) => ids.has(_id));
    },

    async finish(group, now) {
      // One statement stores all outcomes. Each document finds its own outcome by its id and its current token.
      const keys = group.map(({ delivery: { _id, token } }) => `${_id} ${token}`);
      const outcomes = await Promise.all(
        group.map(async ({ delivery: { _id, organizationId }, outcome }) => ({
          ...toUpdate(_id, outcome, await cipherIfKept(organizationId)),
          ...ended(now),
        })),
      );
      await updateMany(
        {
          ...among(group.map(({ delivery }) => delivery)),
          token: { $in: [...new Set(group.map(({ delivery }) => delivery.token))] },
          status: { $in: ['sending', 'interrupted'] },
        },
        [
          { $set: { ending: { $indexOfArray: [{ $literal: keys }, { $concat: ['$_id', ' ', '$token'] }] } } },
          // The reason of an interruption is removed, because the outcome is known after all.
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
        byId,
      );
    },

    async release(group) {
      const attempt = [
        'token',
        'worker',
        'claimedAt',
        'attemptTime',
        'duration',
        'timings',
        'payload',
        'address',
        'sealed',
      ];
      const verdict = ['cause', 'reason', 'code', 'finalTime', 'expireAt'];
      // There is one statement for each token, so that a delivery that was claimed again in between stays claimed.
      await Promise.all(
        [...Map.groupBy(group, ({ token }) => token)].map(([token, claims]) =>
          updateMany(
            { ...among(claims), token, status: { $in: ['sending', 'interrupted', 'failed'] } },
            requeued([...attempt, ...verdict]),
            byId,
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
          // With this range, the index `outcomes` finds the deliveries that ended since then.
          expireAt: { $gte: ended(since).expireAt },
        },
        requeued(['cause', 'finalTime', 'expireAt']),
        { hint: { subscriptionId: 1, status: 1, expireAt: 1 } },
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
