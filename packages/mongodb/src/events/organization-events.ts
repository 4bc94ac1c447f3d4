import {
  type Event,
  type EventName,
  type EventOrigin,
  eventNames,
  kindOfEvent,
  newId,
  TEST_EVENT,
} from '@chairside/domain';
import type { Collection, Database } from '../driver/database.ts';
import { findUnique } from '../driver/ferretdb.ts';
import { rowsOf } from '../driver/rows.ts';
import { databaseTime } from '../driver/statements.ts';
import { beyond, rowExamined, type TimePosition, upTo } from '../driver/time-order.ts';
import type { Cipher } from '../encryption/ciphers.ts';
import {
  EVENT_LIFE_MS,
  type EventDocument,
  type LogExpiry,
  later,
  openBody,
  withStoredBody,
} from './event-document.ts';
import { READ_LAG_MS } from './event-log.ts';

/** The number of events in one read. It is small, because an event can be 171 kB long and a batch is kept in memory. */
const EVENT_BATCH = 24;
/** An event of the log, with the body of its webhook. */
export type LoggedEvent = Pick<Event, '_id' | 'event' | 'clinicIds' | 'kind' | 'recordId' | 'body'> &
  Required<Pick<EventDocument, 'insertedAt'>>;
export type EventFilter = {
  /** The names of the events that the reader may see. */
  events: readonly EventName[];
  clinicId?: string | undefined;
  /** Any of these clinics. */
  clinicIds?: readonly string[] | undefined;
  recordId?: string | undefined;
  /** The patient that the events are about. */
  patientId?: string | undefined;
  /** The period in which the events entered the log. Both ends are included. */
  since?: Date | undefined;
  until?: Date | undefined;
};
/** The order by the time at which the events entered the log. `asc` begins with the oldest event. */
export type EventOrder = 'asc' | 'desc';
/** The start, the end, the order and the length of a page of the log. */
export type EventPage = {
  /** The last event of the previous page. */
  after?: TimePosition | undefined;
  /** The last event that this page examines. */
  stop?: TimePosition | undefined;
  limit: number;
  /** Default: `asc`. */
  order?: EventOrder | undefined;
};

type StoredLogEvent = Required<Pick<EventDocument, '_id' | keyof typeof SHOWN>> & { event: EventName };

const SHOWN = { event: 1, about: 1, clinicIds: 1, insertedAt: 1, body: 1 };
/**
 * Reads return only events that a majority of the replica set has. Otherwise, a failover could roll back the time of an
 * event that a reader has seen already, and the event would get a later time.
 */
const READ_CONCERN = 'majority' as const;

/** The log of one organization. */
export type Events = {
  /**
   * Returns the end of the log for readers: no further event enters the log at this time or earlier. The end is two
   * seconds behind the clock of the database.
   */
  end(): Promise<Date>;
  /**
   * Streams at most `limit` events, sorted by the time at which they entered the log.
   *
   * @param filter.until must be at most `end()`. After `end()`, an event can still enter the log before an event that
   *   was already read
   */
  page(filter: EventFilter & { until: Date }, page: EventPage): AsyncIterable<LoggedEvent>;
  /**
   * Returns the position at which a page must stop so that it examines at most `MAX_EXAMINED` events; undefined if it need
   * not stop. The result is the `stop` of the page and the `after` of the next one.
   */
  examinedTo(
    filter: EventFilter & { until: Date },
    page: Pick<EventPage, 'after' | 'order'>,
  ): Promise<TimePosition | undefined>;
  /** The last event that expired from the log, in its order; undefined if none has. */
  expiredTo(): Promise<TimePosition | undefined>;
  /** The event with this id, if it is in the log. */
  find(id: string): Promise<LoggedEvent | undefined>;
  /**
   * Creates an event for one test delivery. No list contains this event.
   *
   * @returns the id of the event
   */
  createTest(
    subscription: { _id: string; clinicId: string },
    origin: EventOrigin,
    now: Date,
  ): Promise<string>;
  has(id: string): Promise<boolean>;
};

/** A reader of more clinics searches the whole log: MongoDB merges at most 200 ranges of an index without sorting. */
const MAX_CLINICS = 100;

/**
 * The conditions by which an index finds the events, beginning with the one that selects the fewest. A page reads the
 * index of the first one.
 */
const selectingConditionsOf = ({ recordId, patientId, clinicId, clinicIds }: EventFilter) => [
  ...(recordId === undefined ? [] : [{ about: recordId }]),
  ...(patientId === undefined ? [] : [{ about: patientId }]),
  ...(clinicId === undefined ? [] : [{ clinicIds: clinicId }]),
  ...(clinicIds === undefined || clinicIds.length > MAX_CLINICS
    ? []
    : [{ clinicIds: { $in: [...clinicIds] } }]),
];

/** The conditions on fields of the index that a page reads, except the organization. */
const indexedConditionsOf = (
  filter: EventFilter & { until: Date },
  { after, stop, order = 'asc' }: Pick<EventPage, 'after' | 'stop' | 'order'>,
) => {
  const { since, until } = filter;
  const [selecting] = selectingConditionsOf(filter);
  const isAscending = order === 'asc';
  const [begin, end] = isAscending ? [after, stop] : [stop, after];
  const from = begin?.time ?? since;
  const comparison = isAscending ? '$gt' : '$lt';
  return {
    insertedAt: { ...(from && { $gte: from }), $lte: end?.time ?? until },
    ...selecting,
    ...(after && beyond('insertedAt', comparison, after)),
    ...(stop && upTo('insertedAt', comparison, stop)),
  };
};

/** The conditions that no index covers, so that each event must be examined. */
const otherConditionsOf = (filter: EventFilter) => {
  const { events, recordId, clinicIds = [] } = filter;
  const [, ...further] = selectingConditionsOf(filter);
  if (clinicIds.length > MAX_CLINICS) further.push({ clinicIds: { $in: [...clinicIds] } });
  return {
    ...(events.length < eventNames.length && { event: { $in: [...events] } }),
    // The events of other records of a patient are about the patient, too.
    ...(recordId !== undefined && { 'about.0': recordId }),
    ...(further.length > 0 && { $and: further }),
  };
};

const sortOf = ({ order = 'asc' }: Pick<EventPage, 'order'>) => {
  const direction = order === 'asc' ? 1 : -1;
  return { insertedAt: direction, _id: direction } as const;
};

const toLoggedEvent = ({ about, body, ...event }: StoredLogEvent, cipher: Cipher): LoggedEvent => ({
  ...event,
  kind: kindOfEvent(event.event),
  recordId: about[0],
  body: openBody({ _id: event._id, body }, cipher),
});

/**
 * @param organizationId every query of the returned repository contains this id
 * @param cipherOf returns the cipher of the organization
 */
export const eventsOf = (
  database: Database,
  collection: Collection<EventDocument>,
  organizations: Collection<LogExpiry>,
  organizationId: string,
  cipherOf: () => Promise<Cipher>,
): Events => ({
  end: async () => later(await databaseTime(database), -READ_LAG_MS),

  async *page(filter, page) {
    const conditions = { organizationId, ...indexedConditionsOf(filter, page), ...otherConditionsOf(filter) };
    const found = collection.find<StoredLogEvent>(conditions, {
      projection: SHOWN,
      sort: sortOf(page),
      limit: page.limit,
      batchSize: EVENT_BATCH,
      readConcern: READ_CONCERN,
    });
    const cipher = await cipherOf();
    for await (const event of rowsOf(found, (each) => each))
      yield cipher.opening(() => toLoggedEvent(event, cipher));
  },

  async examinedTo(filter, page) {
    if (Object.keys(otherConditionsOf(filter)).length === 0) return undefined;
    const conditions = { organizationId, ...indexedConditionsOf(filter, page) };
    const last = await rowExamined(collection, conditions, sortOf(page));
    return last?.insertedAt && { time: last.insertedAt, _id: last._id };
  },

  async expiredTo() {
    const found = await findUnique(organizations, { _id: organizationId }, { logExpiredTo: 1 });
    const last = found?.logExpiredTo;
    return last && { time: last.time, _id: last.eventId };
  },

  async find(_id) {
    const logged = { _id, organizationId, insertedAt: { $exists: true } };
    const [found] = await collection
      .find<StoredLogEvent>(logged, { projection: SHOWN, limit: 1, readConcern: READ_CONCERN })
      .toArray();
    if (found === undefined) return undefined;
    const cipher = await cipherOf();
    return cipher.opening(() => toLoggedEvent(found, cipher));
  },

  async createTest({ _id: subscriptionId, clinicId }, origin, now) {
    const _id = newId(now);
    const event = {
      _id,
      organizationId,
      event: TEST_EVENT as typeof TEST_EVENT,
      clinicIds: [clinicId],
      body: JSON.stringify({
        id: _id,
        event: TEST_EVENT,
        timestamp: Math.floor(now.getTime() / 1000),
        data: { subscriptionId, clinicId },
        origin,
      }),
      // The event has no `insertedAt`, so it is not in the log.
      retainUntil: later(now, EVENT_LIFE_MS),
    };
    await collection.insertOne(withStoredBody(event, await cipherOf()));
    return _id;
  },

  has: async (id) => (await collection.countDocuments({ _id: id, organizationId }, { limit: 1 })) > 0,
});
