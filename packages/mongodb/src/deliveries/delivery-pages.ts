import {
  type Delivery,
  type DeliveryOutcome,
  type EventName,
  type FailureCause,
  reasonOfRedirect,
  type SkipReason,
} from '@chairside/domain';
import type { Filter, FindOptions } from 'mongodb';
import type { Collection } from '../driver/database.ts';
import { rowsOf } from '../driver/rows.ts';
import { byId } from '../driver/statements.ts';
import { beyond, rowExamined, type TimePosition, upTo } from '../driver/time-order.ts';
import type { Cipher } from '../encryption/ciphers.ts';
import { type DeliveryDocument, exchangeOf, ofEvents } from './deliveries.ts';
import { repairsOf, UNSUCCESSFUL } from './repairs.ts';

/** Selects the deliveries of a page. Indexes cover the subscription, the events and the period. */
export type DeliveryFilter = {
  clinicId?: string | undefined;
  /** Any of these clinics. */
  clinicIds?: readonly string[] | undefined;
  subscriptionId?: string | undefined;
  outcome?: DeliveryOutcome | undefined;
  cause?: FailureCause | SkipReason | undefined;
  event?: EventName | undefined;
  /** The first digit of the status code. */
  statusClass?: number | undefined;
  /** Selects what had no success: neither the delivery, nor a later redelivery of its event to its subscription. */
  unrepaired?: boolean | undefined;
  /** Selects the deliveries of these events. The list must be short, and the events of one moment. */
  eventIds?: readonly string[] | undefined;
  requestId?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
};

/** The position of a page in a list that begins with the newest delivery. */
export type DeliveryPage = {
  /** The last delivery of the previous page. */
  before?: TimePosition | undefined;
  /** The last delivery that this page examines. */
  downTo?: TimePosition | undefined;
};

/** The pages of the deliveries of one organization. */
export type DeliveryPages = {
  /** Streams at most `limit` deliveries, newest first. */
  page(filter: DeliveryFilter, place: DeliveryPage, limit: number): AsyncIterable<Delivery>;
  /**
   * Returns the position at which a page must stop so that it examines at most `MAX_EXAMINED` deliveries; undefined if it
   * need not stop. The result is the `downTo` of the page and the `before` of the next one.
   */
  examinedTo(filter: DeliveryFilter, before: TimePosition | undefined): Promise<TimePosition | undefined>;
};

/** @throws {UnreadableValueError} if the exchange with the receiver does not open */
export const toDelivery = (document: DeliveryDocument, cipher: Cipher): Delivery => {
  const { status, event, createdTime, attemptTime, finalTime } = document;
  const { url, responseBody, responseHeaders } = exchangeOf(document, cipher);
  return {
    _id: document._id,
    subscriptionId: document.subscriptionId,
    clinicId: document.clinicId,
    eventId: document.eventId,
    event: event as Delivery['event'],
    requestId: document.requestId,
    kind: document.kind,
    outcome: status,
    cause: document.cause,
    reason:
      document.cause === 'redirect'
        ? reasonOfRedirect(document.statusCode, responseHeaders?.location)
        : document.reason,
    code: document.code,
    statusCode: document.statusCode,
    address: document.address,
    duration: document.duration,
    timings: document.timings,
    responseBody,
    responseBodyTruncated: document.responseBodyTruncated,
    responseHeaders,
    url,
    payload: document.payload,
    worker: document.worker,
    redeliveryOf: document.redeliveryOf,
    createdTime: createdTime.toISOString(),
    attemptTime: attemptTime?.toISOString(),
    finalTime: finalTime?.toISOString(),
  };
};

/**
 * A delivery in a list, without what the receiver has responded: a receiver may return what it was sent, and lists leave no
 * audit entry.
 */
const toListed = (document: DeliveryDocument, cipher: Cipher): Delivery => {
  const { responseBody, responseBodyTruncated, responseHeaders, ...listed } = toDelivery(document, cipher);
  return listed;
};

/** The conditions on fields of the index that a page reads, except the organization. */
const indexedConditionsOf = (
  { subscriptionId, since, until }: DeliveryFilter,
  { before, downTo }: DeliveryPage,
) => {
  const [earliest, latest] = [downTo?.time ?? since, before?.time ?? until];
  return {
    ...(subscriptionId !== undefined && { subscriptionId }),
    ...((earliest || latest) && {
      createdTime: { ...(earliest && { $gte: earliest }), ...(latest && { $lte: latest }) },
    }),
    ...(before && beyond('createdTime', '$lt', before)),
    ...(downTo && upTo('createdTime', '$lt', downTo)),
  };
};

const statusOf = ({ outcome, unrepaired = false }: DeliveryFilter) => {
  if (!unrepaired) return outcome && { status: outcome };
  return { status: { $in: UNSUCCESSFUL.filter((each) => outcome === undefined || each === outcome) } };
};

/** The conditions that no index covers, so that each delivery must be examined. */
const otherConditionsOf = (filter: DeliveryFilter) => {
  const { clinicId, clinicIds, cause, event, statusClass, requestId } = filter;
  return {
    ...(clinicIds && { clinicId: { $in: [...clinicIds] } }),
    ...(clinicId !== undefined && { clinicId }),
    ...statusOf(filter),
    ...(cause && { cause }),
    ...(event && { event }),
    ...(statusClass && { statusCode: { $gte: statusClass * 100, $lt: (statusClass + 1) * 100 } }),
    ...(requestId !== undefined && { requestId }),
  };
};

/** The conditions of a filter and of the position of a page, except the organization. */
export const conditionsOf = (filter: DeliveryFilter, place: DeliveryPage) => ({
  ...indexedConditionsOf(filter, place),
  ...otherConditionsOf(filter),
  ...(filter.eventIds && ofEvents(filter.eventIds)),
});

const NEWEST_FIRST = { createdTime: -1, _id: -1 } as const;
/** The number of deliveries whose later redeliveries are looked up together. */
const LOOKED_UP = 200;

/** Streams the documents in groups. */
async function* groupsOf<D>(documents: AsyncIterable<D>, size: number): AsyncGenerator<D[]> {
  let group: D[] = [];
  for await (const document of documents) {
    group.push(document);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  yield group;
}

/**
 * @param organizationId every query of the returned repository contains this id
 * @param cipherOf returns the cipher of the organization
 */
export const deliveryPagesOf = (
  collection: Collection<DeliveryDocument>,
  organizationId: string,
  cipherOf: () => Promise<Cipher>,
): DeliveryPages => {
  const find = (filter: DeliveryFilter, place: DeliveryPage, options: FindOptions) =>
    collection.find({ organizationId, ...conditionsOf(filter, place) } as Filter<DeliveryDocument>, {
      sort: NEWEST_FIRST,
      ...options,
      // With this hint, the database sorts the few deliveries of these events instead of searching the whole period for
      // them.
      ...(filter.eventIds && byId),
    });

  async function* whole(filter: DeliveryFilter, place: DeliveryPage, limit: number) {
    const cipher = await cipherOf();
    for await (const each of rowsOf(find(filter, place, { limit }), (document) => document))
      yield cipher.opening(() => toListed(each, cipher));
  }

  async function* unrepaired(filter: DeliveryFilter, place: DeliveryPage, limit: number) {
    const cipher = await cipherOf();
    let left = limit;
    const found = find(filter, place, { batchSize: LOOKED_UP });
    for await (const group of groupsOf(found, LOOKED_UP)) {
      const isRepaired = await repairsOf(collection, organizationId, group);
      for (const each of group) {
        if (isRepaired(each)) continue;
        yield cipher.opening(() => toListed(each, cipher));
        if (--left === 0) return;
      }
    }
  }

  return {
    page: (filter, place, limit) =>
      filter.unrepaired ? unrepaired(filter, place, limit) : whole(filter, place, limit),

    async examinedTo(filter, before) {
      // Without other conditions, every examined delivery matches. With event ids, an index finds the few deliveries. In
      // both cases, the page need not stop early.
      const isSelective = Object.keys(otherConditionsOf(filter)).length > 0 && filter.eventIds === undefined;
      if (!isSelective) return undefined;
      const conditions = { organizationId, ...indexedConditionsOf(filter, { before }) };
      const last = await rowExamined(collection, conditions, NEWEST_FIRST);
      return last && { time: last.createdTime, _id: last._id };
    },
  };
};
