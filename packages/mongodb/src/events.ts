import { type Event, type EventName, newId, TEST_EVENT } from '@chairside/domain';
import { type Collection, type Db, MongoBulkWriteError, MongoServerError } from 'mongodb';
import { atOnce, databaseTime, duplicatesIn, rowsOf } from './database.ts';
import type { DeliveryDocument } from './deliveries.ts';
import { beyond, type TimePosition } from './time-order.ts';

/** How long an event is kept after it entered the log, in milliseconds: 30 days. */
const EVENT_LIFE = 30 * 24 * 60 * 60 * 1000;
/** When an expired event has deliveries that are not final, it is checked again after this time, in milliseconds. */
const LOOK_AGAIN = 24 * 60 * 60 * 1000;
/** The number of events in one read. An event can have 171 kB, and a batch stays in memory. */
const EVENT_BATCH = 24;
/**
 * Readers see events that entered the log at least this long ago, in milliseconds. An event becomes visible some time
 * after the database has read its clock for it. The lag must be longer than that time.
 */
const READ_LAG = 2000;
/**
 * The longest that one statement that enters events may run, in milliseconds. The database aborts a longer one, so the
 * time of an event is never older than this when the event becomes visible, even if the process that sent the statement
 * is paused or crashes.
 */
const ENTER_TIMEOUT = READ_LAG / 2;
/**
 * How long a reading of the database's clock serves, in milliseconds. The ages that are measured by it are half a minute
 * and more, and a clock does not move away from a monotonic one by much in this time.
 */
const CLOCK_LIFE = 10_000;
/**
 * How long after the creation of a delivery its event may be missing in the log, in milliseconds. An event enters the log
 * after its deliveries are stored. If the process that stored them crashes in between, the sweep finds the event within
 * seconds.
 */
const MAY_BE_MISSING = 60_000;
/** `MaxTimeMSExpired`: the statement exceeded its `maxTimeMS`. */
const MAX_TIME_EXPIRED = 50;

export type EventDocument = Pick<Event, '_id' | 'organizationId' | 'clinicIds' | 'time' | 'body'> &
  Partial<Omit<Event, 'event'>> & {
    event: EventName | typeof TEST_EVENT;
    /**
     * When the event entered the log, by the database's clock. Readers page by this field and do not see events without
     * it.
     */
    insertedAt?: Date;
    /** After this time the event is deleted, unless it still has a delivery. */
    retainUntil: Date;
  };

/** Whether the event of a delivery may still enter the log. A missing event of an older delivery is gone. */
export const mayStillEnter = ({ createdTime }: { createdTime: Date }, now: Date): boolean =>
  now.getTime() - createdTime.getTime() < MAY_BE_MISSING;

/** An event with its shard key. */
export type EventRef = Pick<EventDocument, '_id' | 'organizationId'>;

/** Matches these events. The organizations are the shard key, so `mongos` asks only the shards that have them. */
export const amongEvents = (events: readonly EventRef[]) => ({
  _id: { $in: events.map(({ _id }) => _id) },
  organizationId: { $in: [...new Set(events.map(({ organizationId }) => organizationId))] },
});

/** The database's time, and when this process read it by its own monotonic clock. */
export type LogClock = { time: Date; readAt: number };

/** The log of the events of all organizations, as the dispatcher uses it. */
export type EventLog = {
  /** A reading of the last ten seconds. Add the time since `readAt`. */
  clock(): Promise<LogClock>;
  /**
   * Enters events into the log. An event that is in the log keeps its place, so the call may be repeated, by any process
   * and at any time.
   *
   * @throws when the database cannot enter a single event within a second; some of the events may be in the log then
   */
  enter(events: readonly Event[]): Promise<void>;
  /** The bodies of these events, by id. */
  bodies(events: readonly EventRef[]): Promise<Map<string, string>>;
  /**
   * Deletes events whose 30 days are over and that have no delivery left.
   *
   * @param limit the most events to look at
   * @returns the number of deleted events
   */
  expire(now: Date, limit: number): Promise<number>;
};

const ENTERED_NOW = { insertedAt: '$$NOW', retainUntil: { $add: ['$$NOW', EVENT_LIFE] } };

/** Whether the statement was executed, and only the majority of the replica set was not there in time. */
const isLateMajority = (error: unknown): boolean =>
  error instanceof MongoBulkWriteError &&
  [error.writeErrors].flat().length === 0 &&
  error.result.getWriteConcernError() !== undefined;

/** Whether the database aborted the statement because of its time limit. */
const isTooSlow = (error: unknown): boolean => {
  if (!(error instanceof MongoServerError) || isLateMajority(error)) return false;
  const failures = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
  return [error, ...failures].some(({ code }) => code === MAX_TIME_EXPIRED);
};

const later = (date: Date, milliseconds: number) => new Date(date.getTime() + milliseconds);

export const openEventLog = (
  database: Db,
  collection: Collection<EventDocument>,
  deliveries: Collection<DeliveryDocument>,
): EventLog => {
  let reading: Promise<LogClock> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  const read = async (begun: number): Promise<LogClock> => ({
    time: await databaseTime(database),
    readAt: begun,
  });
  const clock = (): Promise<LogClock> => {
    const now = performance.now();
    if (reading === undefined || now - readAt > CLOCK_LIFE) {
      readAt = now;
      const begun = read(now);
      begun.catch(() => {
        if (reading === begun) reading = undefined;
      });
      reading = begun;
    }
    return reading;
  };

  /** The times until which deliveries need these events. Events that no delivery needs are absent. */
  const neededUntil = async (ids: readonly string[], now: Date): Promise<Map<string, Date>> => {
    const found = await deliveries
      .find({ eventId: { $in: [...ids] } }, { projection: { eventId: 1, expireAt: 1 } })
      .toArray();
    const until = new Map<string, Date>();
    for (const { eventId, expireAt = later(now, LOOK_AGAIN) } of found) {
      const other = until.get(eventId);
      if (other === undefined || other < expireAt) until.set(eventId, expireAt);
    }
    return until;
  };

  /** Whether a majority of the replica set has all these events in the log. */
  const areEntered = async (events: readonly EventRef[]): Promise<boolean> => {
    const entered = { ...amongEvents(events), insertedAt: { $exists: true } };
    const options = { projection: { _id: 1 }, readConcern: 'majority' as const, ...atOnce(events.length) };
    return (await collection.find(entered, options).toArray()).length === events.length;
  };

  const enter = async (events: readonly Event[]): Promise<void> => {
    const updates = events.map(({ _id, organizationId, ...fields }) => ({
      updateOne: {
        filter: { _id, organizationId },
        // The database reads its own clock while it executes this, so a process that is paused before or after does
        // not matter. The fields of an event that is in the log already win.
        update: [{ $replaceWith: { $mergeObjects: [{ $literal: fields }, ENTERED_NOW, '$$ROOT'] } }],
        upsert: true,
      },
    }));
    try {
      await collection.bulkWrite(updates, { ordered: false, maxTimeMS: ENTER_TIMEOUT });
    } catch (error) {
      // Another process has entered the other events at the same moment.
      if (duplicatesIn(error) !== undefined) return;
      // The events were entered in time, but a majority of the replica set did not have them within the time limit.
      // Check that it has them now: the events leave their records next, so a failover must not roll them back.
      if (isLateMajority(error) && (await areEntered(events))) return;
      if (!isTooSlow(error) || events.length === 1) throw error;
      // Retry the two halves one after the other, so that a slow database makes progress. If a single event takes too
      // long, the error is thrown.
      const half = Math.ceil(events.length / 2);
      await enter(events.slice(0, half));
      await enter(events.slice(half));
    }
  };

  return {
    clock,

    enter,

    async bodies(events) {
      const documents = await collection
        .find(amongEvents(events), { projection: { body: 1 }, ...atOnce(events.length) })
        .toArray();
      // A body that is not a text cannot be sent. It counts as missing.
      return new Map(
        documents.filter(({ body }) => typeof body === 'string').map(({ _id, body }) => [_id, body]),
      );
    },

    async expire(now, limit) {
      const due = await collection
        .find({ retainUntil: { $lt: now } }, { projection: { organizationId: 1 }, limit, ...atOnce(limit) })
        .toArray();
      if (due.length === 0) return 0;
      const needed = await neededUntil(
        due.map(({ _id }) => _id),
        now,
      );
      const kept = due.flatMap(({ _id, organizationId }) => {
        const until = needed.get(_id);
        // A delivery that has expired is about to be deleted, but still exists.
        const retainUntil = until !== undefined && until > now ? until : later(now, LOOK_AGAIN);
        const update = { $set: { retainUntil } };
        return until === undefined ? [] : [{ updateOne: { filter: { _id, organizationId }, update } }];
      });
      if (kept.length > 0) await collection.bulkWrite(kept, { ordered: false });
      const { deletedCount } = await collection.deleteMany({
        ...amongEvents(due.filter(({ _id }) => !needed.has(_id))),
        retainUntil: { $lt: now },
      });
      return deletedCount;
    },
  };
};

/** An event of the log, with the body of its webhook. */
export type LoggedEvent = Pick<EventDocument, '_id' | 'clinicIds' | 'body'> &
  Required<Pick<EventDocument, 'insertedAt'>> &
  Pick<Event, 'kind' | 'recordId'>;
export type EventFilter = {
  /** The events that the reader may see. */
  events: readonly EventName[];
  clinicId?: string | undefined;
  recordId?: string | undefined;
  /** The times between which the events entered the log, both included. */
  since?: Date | undefined;
  until?: Date | undefined;
};
/** By the time at which the events entered the log: `asc` begins with the oldest. */
export type EventOrder = 'asc' | 'desc';
/** Where a page of the log begins and ends. */
export type EventPage = {
  /** The last event of the page before. */
  after?: TimePosition | undefined;
  limit: number;
  /** `asc` when absent. */
  order?: EventOrder | undefined;
};

export type FoundEvent = LoggedEvent & { event: EventName };

/** The fields of a `LoggedEvent`. */
const SHOWN = { kind: 1, recordId: 1, clinicIds: 1, insertedAt: 1, body: 1 };
/**
 * Reads only majority-committed stamps. If a failover rolled back a stamp, the event would get a later one, and
 * a reader could have seen it at its first place.
 */
const READ_CONCERN = 'majority' as const;

/** The log of one organization. */
export type Events = {
  /**
   * Returns the end of the log for readers: no event enters the log at this time or earlier any more. It is two seconds
   * behind the clock of the database.
   */
  end(): Promise<Date>;
  /**
   * Streams at most `limit` events in the order in which they entered the log.
   *
   * @param filter.until at most `end()`. Later than `end()`, an event can still be inserted before an event that
   * was read
   */
  page(filter: EventFilter & { until: Date }, page: EventPage): AsyncIterable<LoggedEvent>;
  /** The event with this id, as soon as it has entered the log. */
  find(id: string): Promise<FoundEvent | undefined>;
  /** @returns the id of a new event for one test delivery. No list contains this event */
  createTest(subscription: { _id: string; clinicId: string }, now: Date): Promise<string>;
  has(id: string): Promise<boolean>;
};

/** @param organizationId bound into every query of the result */
export const eventsOf = (
  database: Db,
  collection: Collection<EventDocument>,
  organizationId: string,
): Events => ({
  end: async () => later(await databaseTime(database), -READ_LAG),

  async *page({ events, clinicId, recordId, since, until }, { after, limit, order = 'asc' }) {
    const isAscending = order === 'asc';
    const from = (isAscending && after?.time) || since;
    const filter = {
      organizationId,
      insertedAt: { ...(from && { $gte: from }), $lte: (!isAscending && after?.time) || until },
      event: { $in: [...events] },
      ...(clinicId !== undefined && { clinicIds: clinicId }),
      ...(recordId !== undefined && { recordId }),
      ...(after && beyond('insertedAt', isAscending ? '$gt' : '$lt', after)),
    };
    const direction = isAscending ? 1 : -1;
    const found = collection.find<LoggedEvent>(filter, {
      projection: SHOWN,
      sort: { insertedAt: direction, _id: direction },
      limit,
      batchSize: EVENT_BATCH,
      readConcern: READ_CONCERN,
    });
    yield* rowsOf(found, (event) => event);
  },

  async find(_id) {
    const logged = { _id, organizationId, insertedAt: { $exists: true } };
    const options = { projection: { ...SHOWN, event: 1 }, limit: 1, readConcern: READ_CONCERN };
    return (await collection.find<FoundEvent>(logged, options).toArray())[0];
  },

  async createTest({ _id: subscriptionId, clinicId }, now) {
    const _id = newId(now);
    await collection.insertOne({
      _id,
      organizationId,
      event: TEST_EVENT,
      clinicIds: [clinicId],
      time: now,
      body: JSON.stringify({
        id: _id,
        event: TEST_EVENT,
        timestamp: Math.floor(now.getTime() / 1000),
        data: { subscriptionId, clinicId },
      }),
      // Without `insertedAt`, so it never enters the log.
      retainUntil: later(now, EVENT_LIFE),
    });
    return _id;
  },

  has: async (id) => (await collection.countDocuments({ _id: id, organizationId }, { limit: 1 })) > 0,
});
