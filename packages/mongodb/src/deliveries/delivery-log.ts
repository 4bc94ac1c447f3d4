import {
  clock,
  type Delivery,
  deliveryId,
  type EventOrigin,
  MAX_SHOWN_REDELIVERIES,
  type Redelivery,
  type RedeliveryRequest,
  TEST_EVENT,
} from '@chairside/domain';
import type { Collection } from '../driver/database.ts';
import { findUnique } from '../driver/ferretdb.ts';
import { insertNew } from '../driver/statements.ts';
import { beyond, type TimePosition } from '../driver/time-order.ts';
import type { Cipher } from '../encryption/ciphers.ts';
import { mayStillEnter } from '../events/event-document.ts';
import type { Events } from '../events/organization-events.ts';
import type { LaneRequests } from '../lanes/lane-requests.ts';
import type { Deliveries, DeliveryDocument, NewDelivery } from './deliveries.ts';
import { type DeliveryPages, deliveryPagesOf, toDelivery } from './delivery-pages.ts';
import {
  countBulk,
  ended,
  MAX_RUNNING_REDELIVERIES,
  type RedeliveryDocument,
  toRedelivery,
} from './redeliveries.ts';

/** The deliveries of one organization, for operators to read and to redeliver. */
export type DeliveryLog = DeliveryPages & {
  find(id: string): Promise<Delivery | undefined>;
  /** The later redeliveries of the same event to the same subscription, the newest first. */
  laterRedeliveries(delivery: Delivery): Promise<Required<Delivery>['redeliveries']>;
  /**
   * Creates a redelivery of the same event to the same subscription. Calls with the same new id create only one.
   * Returns `event_gone` if the event no longer exists.
   *
   * @param id becomes a part of the redelivery's id, which begins with that of the event
   */
  redeliver(
    id: string,
    delivery: Pick<Delivery, '_id' | 'subscriptionId' | 'clinicId' | 'eventId' | 'event' | 'createdTime'>,
    now: Date,
  ): Promise<Delivery | 'event_gone'>;
  /** Creates a delivery of an event that only tests the subscription. */
  test(subscription: { _id: string; clinicId: string }, origin: EventOrigin, now: Date): Promise<Delivery>;
  /**
   * Starts a bulk redelivery in the background. Calls with the same new id start only one.
   *
   * @returns undefined if {@link MAX_RUNNING_REDELIVERIES} of the organization run
   */
  redeliverMany(
    newId: string,
    subscriptionId: string,
    request: RedeliveryRequest,
    now: Date,
  ): Promise<Redelivery | undefined>;
  findRedelivery(subscriptionId: string, id: string): Promise<Redelivery | undefined>;
  /**
   * Stops a bulk redelivery, so that it creates no further deliveries. If it has already ended, it is returned
   * unchanged.
   */
  stopRedelivery(subscriptionId: string, id: string, now: Date): Promise<Redelivery | undefined>;
  /** Streams at most `limit` bulk redeliveries of a subscription, newest first. */
  redeliveries(
    subscriptionId: string,
    before: TimePosition | undefined,
    limit: number,
  ): AsyncIterable<Redelivery>;
};

export type DeliveryLogParts = {
  collection: Collection<DeliveryDocument>;
  redeliveries: Collection<RedeliveryDocument>;
  deliveries: Pick<Deliveries, 'insert'>;
  laneRequests: Pick<LaneRequests, 'announce' | 'request'>;
  events: Pick<Events, 'createTest' | 'has'>;
  /** Returns the cipher of the organization. */
  cipher(): Promise<Cipher>;
};

/** @param organizationId every query of the returned repository contains this id */
export const deliveryLogOf = (
  { collection, redeliveries, deliveries, laneRequests, events, cipher: cipherOf }: DeliveryLogParts,
  organizationId: string,
): DeliveryLog => {
  const find = async (id: string): Promise<Delivery | undefined> => {
    const found = await findUnique(collection, { _id: id, organizationId });
    if (found === undefined) return undefined;
    const cipher = await cipherOf();
    return cipher.opening(() => toDelivery(found, cipher));
  };

  const laterRedeliveries = async ({
    _id,
    eventId,
    subscriptionId,
    createdTime,
  }: Delivery): Promise<Required<Delivery>['redeliveries']> => {
    const found = await collection
      .find(
        {
          eventId,
          organizationId,
          subscriptionId,
          kind: 'redelivery',
          createdTime: { $gte: new Date(createdTime) },
        },
        {
          projection: { status: 1, createdTime: 1 },
          hint: { eventId: 1 },
          sort: { createdTime: -1, _id: -1 },
          limit: MAX_SHOWN_REDELIVERIES + 1,
        },
      )
      .toArray();
    return found
      .filter((each) => each._id !== _id)
      .slice(0, MAX_SHOWN_REDELIVERIES)
      .map(({ _id: id, status, createdTime: time }) => ({
        _id: id,
        outcome: status,
        createdTime: time.toISOString(),
      }));
  };

  /** Counts what a bulk redelivery has created. It expires before its deliveries do. */
  const withCounts = async (document: RedeliveryDocument): Promise<Redelivery> => {
    if (document.counts !== undefined) return toRedelivery(document, document.counts);
    const { counts, mayChange } = await countBulk(collection, document, clock.now());
    if (!mayChange) await redeliveries.updateOne({ _id: document._id, organizationId }, { $set: { counts } });
    return toRedelivery(document, counts);
  };

  const findRedelivery = async (subscriptionId: string, id: string): Promise<Redelivery | undefined> => {
    const found = await findUnique(redeliveries, { _id: id, organizationId });
    return found?.subscriptionId === subscriptionId ? withCounts(found) : undefined;
  };

  const queue = async (delivery: NewDelivery, now: Date): Promise<Delivery> => {
    await laneRequests.announce(delivery, delivery._id);
    await deliveries.insert([delivery], now);
    await laneRequests.request(delivery, delivery._id);
    return (await find(delivery._id)) as Delivery;
  };

  return {
    ...deliveryPagesOf(collection, organizationId, cipherOf),
    find,
    laterRedeliveries,

    async redeliver(id, { _id: redeliveryOf, createdTime, ...source }, now) {
      const { subscriptionId, clinicId, eventId, event } = source;
      const _id = deliveryId(eventId, id);
      const isYoung = mayStillEnter({ createdTime: new Date(createdTime) }, now);
      if (!isYoung && !(await events.has(eventId))) return 'event_gone';
      return queue(
        { _id, organizationId, clinicId, subscriptionId, eventId, event, kind: 'redelivery', redeliveryOf },
        now,
      );
    },

    async test(subscription, origin, now) {
      const { _id: subscriptionId, clinicId } = subscription;
      const eventId = await events.createTest(subscription, origin, now);
      const _id = deliveryId(eventId, subscriptionId);
      return queue(
        { _id, organizationId, clinicId, subscriptionId, eventId, event: TEST_EVENT, kind: 'test' },
        now,
      );
    },

    async redeliverMany(_id, subscriptionId, { since, until, outcomes, unrepaired = false }, now) {
      const running = await redeliveries.countDocuments({ organizationId, state: 'running' });
      if (running >= MAX_RUNNING_REDELIVERIES) return undefined;
      const document: RedeliveryDocument = {
        _id,
        organizationId,
        subscriptionId,
        since: new Date(since),
        // Deliveries that are created later are not included.
        until: until === undefined || new Date(until) > now ? now : new Date(until),
        outcomes,
        ...(unrepaired && { unrepaired: true as const }),
        state: 'running',
        steps: 0,
        made: 0,
        gone: 0,
        createdTime: now,
      };
      await insertNew(redeliveries, [document]);
      return (await findRedelivery(subscriptionId, _id)) as Redelivery;
    },

    findRedelivery,

    async stopRedelivery(subscriptionId, id, now) {
      await redeliveries.updateOne(
        { _id: id, organizationId, subscriptionId, state: 'running' },
        // The result of a step in progress is not stored, because the number of steps has changed since the step read
        // it.
        { $inc: { steps: 1 }, $set: ended('stopped', now) },
      );
      return findRedelivery(subscriptionId, id);
    },

    async *redeliveries(subscriptionId, before, limit) {
      const filter = {
        organizationId,
        subscriptionId,
        ...(before && { createdTime: { $lte: before.time }, ...beyond('createdTime', '$lt', before) }),
      };
      const found = redeliveries.find(filter, { sort: { createdTime: -1, _id: -1 }, limit });
      for await (const document of found) yield withCounts(document);
    },
  };
};
