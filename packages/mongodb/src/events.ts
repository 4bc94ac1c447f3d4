import { type Event, type EventName, newId, TEST_EVENT } from '@chairside/domain';
import { type Collection, type Db, MongoServerError, MongoWriteConcernError } from 'mongodb';
import { atOnce, databaseTime, insertNew, rowsOf } from './database.ts';
import type { DeliveryDocument } from './deliveries.ts';
import { beyond, type TimePosition } from './time-order.ts';

/** How long an event is kept after it entered the log, in milliseconds: 30 days. */
const EVENT_LIFE = 30 * 24 * 60 * 60 * 1000;
/** How long an event whose Deliveries are not all final is left alone, in milliseconds. */
const LOOK_AGAIN = 24 * 60 * 60 * 1000;
/** How many events of a page are read at once: one can have 171 kB, and a batch waits in memory. */
const EVENT_BATCH = 24;
/**
 * Readers see events that entered the log at least this long ago, in milliseconds. An event becomes visible some time
 * after the database has read its clock for the stamp; the lag must be longer than that time.
 */
const READ_LAG = 2000;
/**
 * How long one statement that stamps events may run in the database, in milliseconds. The database itself ends a longer
 * one, so no stamp is ever older than this when it becomes visible, whatever happens to the process that asked for it.
 */
const STAMP_TIMEOUT = READ_LAG / 2;
/** What the database reports when a statement takes longer than it may. */
const MAX_TIME_EXPIRED = 50;

export type EventDocument = Pick<Event, '_id' | 'organizationId' | 'clinicIds' | 'time' | 'body'> &
  Partial<Omit<Event, 'event'>> & {
    event: EventName | typeof TEST_EVENT;
    /** When it entered the log, by the database's clock. Readers page by this and do not see an event without it. */
    insertedAt?: Date;
    /** From then on it goes, if it has no Delivery any more. */
    retainUntil: Date;
  };

/** An event, and where a sharded database has it. */
export type EventRef = Pick<EventDocument, '_id' | 'organizationId'>;

/** These events. With their organizations, the shard key, `mongos` asks the shards that have them and no other. */
export const amongEvents = (events: readonly EventRef[]) => ({
  _id: { $in: events.map(({ _id }) => _id) },
  organizationId: { $in: [...new Set(events.map(({ organizationId }) => organizationId))] },
});

/** The database's time, and when this process read it by its own monotonic clock. */
export type LogClock = { time: Date; readAt: number };

/** The log of the events of all organizations, as the dispatcher uses it. */
export type EventLog = {
  clock(): Promise<LogClock>;
  /** Stores the events that are not there yet. Readers do not see them before `stamp`. */
  insert(events: readonly Event[], clock: Pick<LogClock, 'time'>): Promise<void>;
  /**
   * Has stored events enter the log: readers see them from then on. An event that is in the log keeps its place, so the
   * call may be repeated, by any process and at any time.
   *
   * @throws when the database cannot stamp a single event within a second; some events may be stamped
   */
  stamp(events: readonly EventRef[]): Promise<void>;
  /** The bodies of these events, by id. */
  bodies(events: readonly EventRef[]): Promise<Map<string, string>>;
  /**
   * Ends events whose 30 days are over and that have no Delivery left.
   *
   * @param limit the most that are looked at
   * @returns how many went
   */
  expire(now: Date, limit: number): Promise<number>;
};

const later = (date: Date, milliseconds: number) => new Date(date.getTime() + milliseconds);

export const openEventLog = (
  database: Db,
  collection: Collection<EventDocument>,
  deliveries: Collection<DeliveryDocument>,
): EventLog => {
  const clock = async (): Promise<LogClock> => {
    const readAt = performance.now();
    return { time: await databaseTime(database), readAt };
  };

  /** Until when these events are needed by Deliveries; absent ones by none. */
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

  /** Whether a majority of the set has the stamps of all of these. */
  const areStamped = async (stamped: readonly EventRef[]): Promise<boolean> => {
    const missing = { ...amongEvents(stamped), insertedAt: { $exists: false } };
    const options = { projection: { _id: 1 }, limit: 1, readConcern: 'majority' as const };
    return (await collection.find(missing, options).toArray()).length === 0;
  };

  const stamp = async (unstamped: readonly EventRef[]): Promise<void> => {
    try {
      // The database reads its own clock as it executes this: a process that is paused before or after changes nothing.
      await collection.updateMany(
        { ...amongEvents(unstamped), insertedAt: { $exists: false } },
        [{ $set: { insertedAt: '$$NOW', retainUntil: { $add: ['$$NOW', EVENT_LIFE] } } }],
        { maxTimeMS: STAMP_TIMEOUT },
      );
    } catch (error) {
      // Stamped in time, but a majority of the set had it later than the limit allows to wait. A stamp that a failover
      // takes back must not be missed: the event has left its record by then.
      if (error instanceof MongoWriteConcernError && (await areStamped(unstamped))) return;
      const isTooSlow =
        error instanceof MongoServerError &&
        !(error instanceof MongoWriteConcernError) &&
        error.code === MAX_TIME_EXPIRED;
      if (!isTooSlow || unstamped.length === 1) throw error;
      // In halves, one after the other: a slow database gets on, and the first event that takes too long ends it.
      const half = Math.ceil(unstamped.length / 2);
      await stamp(unstamped.slice(0, half));
      await stamp(unstamped.slice(half));
    }
  };

  return {
    clock,

    async insert(events, { time }) {
      await insertNew(
        collection,
        // Retention begins here, so that an event that is never stamped goes, too.
        events.map((event) => ({ ...event, retainUntil: later(time, EVENT_LIFE) })),
      );
    },

    stamp,

    async bodies(events) {
      const documents = await collection
        .find(amongEvents(events), { projection: { body: 1 }, ...atOnce(events.length) })
        .toArray();
      // What is not a text cannot be sent: there is nothing to send, as if the event were gone.
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
        // A Delivery that is over its time goes soon, but has not gone yet.
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

/** An event of the log, with the text that was sent as the webhook's body. */
export type LoggedEvent = Pick<EventDocument, '_id' | 'clinicIds' | 'body'> &
  Required<Pick<EventDocument, 'insertedAt'>> &
  Pick<Event, 'kind' | 'recordId'>;
export type EventFilter = {
  /** The events that may be seen. */
  events: readonly EventName[];
  clinicId?: string | undefined;
  since?: Date | undefined;
};

/** The log of one organization. */
export type Events = {
  /**
   * Streams at most `limit` events in the order in which they entered the log. Nothing enters it before what has been read.
   *
   * @param after where the page before ended
   */
  page(filter: EventFilter, after: TimePosition | undefined, limit: number): AsyncIterable<LoggedEvent>;
  /** @returns the id of a new event that only a test is about: no list shows it */
  createTest(subscription: { _id: string; clinicId: string }, now: Date): Promise<string>;
  has(id: string): Promise<boolean>;
};

/** @param organizationId bound into every query of the result */
export const eventsOf = (
  database: Db,
  collection: Collection<EventDocument>,
  organizationId: string,
): Events => ({
  async *page({ events, clinicId, since }, after, limit) {
    const until = later(await databaseTime(database), -READ_LAG);
    const from = after?.time ?? since;
    const filter = {
      organizationId,
      insertedAt: { ...(from && { $gte: from }), $lte: until },
      event: { $in: [...events] },
      ...(clinicId !== undefined && { clinicIds: clinicId }),
      ...(after && beyond('insertedAt', '$gt', after)),
    };
    const projection = { kind: 1, recordId: 1, clinicIds: 1, insertedAt: 1, body: 1 };
    const found = collection.find<LoggedEvent>(filter, {
      projection,
      sort: { insertedAt: 1, _id: 1 },
      limit,
      batchSize: EVENT_BATCH,
      // A stamp that a failover takes back would move a reader past what is stamped anew.
      readConcern: 'majority',
    });
    yield* rowsOf(found, (event) => event);
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
      // Without `insertedAt`: it never enters the log.
      retainUntil: later(now, EVENT_LIFE),
    });
    return _id;
  },

  has: async (id) => (await collection.countDocuments({ _id: id, organizationId }, { limit: 1 })) > 0,
});
