import { Binary, MongoBulkWriteError, MongoServerError } from 'mongodb';
import type { Collection } from '../driver/database.ts';
import { atMost, atOnce, byId, duplicatesIn } from '../driver/statements.ts';
import { isBefore, type TimePosition } from '../driver/time-order.ts';
import type { Ciphers } from '../encryption/ciphers.ts';
import {
  amongEvents,
  EVENT_LIFE_MS,
  type EventDocument,
  type EventRef,
  type LogExpiry,
  later,
  openBody,
  type StoredBody,
  type StoredEvent,
  toLogged,
} from './event-document.ts';

/**
 * If an expired event still has deliveries without an expiry in the future, the event is checked again after this time.
 */
const LOOK_AGAIN_MS = 24 * 60 * 60 * 1000;
/**
 * Lists contain only events that entered the log at least this long ago. An event becomes visible some time after the
 * database has read its clock for it, and the lag must be longer than that time.
 */
export const READ_LAG_MS = 1000;
/**
 * The maximum duration of a statement that enters events. The database aborts a statement that takes longer. So an
 * event is written at most this long after its time, even if the process that sent the statement is paused or crashes.
 */
const ENTER_TIMEOUT_MS = READ_LAG_MS / 2;
/** `MaxTimeMSExpired`: the statement exceeded its `maxTimeMS`. */
const MAX_TIME_EXPIRED = 50;

/** The log of the events of all organizations, as the dispatcher uses it. */
export type EventLog = {
  /**
   * Enters events into the log. An event that is already in the log keeps its position, so the call may be repeated, by
   * any process and at any time.
   *
   * @throws if the database is unavailable, or cannot enter a single event within half a second; some of the events may be
   *   in the log then
   */
  enter(events: readonly StoredEvent[]): Promise<void>;
  /** The bodies of these events as they are stored, by id. */
  bodies(events: readonly EventRef[]): Promise<Map<string, StoredBody>>;
  /**
   * The text of a body.
   *
   * @throws {UnreadableValueError} if it does not open
   */
  open(event: EventRef & { body: StoredBody }): Promise<string>;
  /**
   * Deletes events that need not be kept any longer and have no delivery left.
   *
   * @param limit the maximum number of events to examine
   * @returns the number of deleted events
   */
  expire(now: Date, limit: number): Promise<number>;
};

const ENTERED_NOW = { insertedAt: '$$NOW', retainUntil: { $add: ['$$NOW', EVENT_LIFE_MS] } };

/**
 * Whether the statement was executed, but a majority of the replica set did not have its result within the time limit.
 */
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

/**
 * A delivery that needs its event, and the time at which the delivery is deleted. The time is absent while the delivery
 * is not final.
 */
export type EventUse = { eventId: string; expireAt?: Date };

/** An event of the log that expires. */
type Expiring = TimePosition & { organizationId: string };

/** The last of these events in the order of the log, of each organization. */
const lastOfEach = (events: readonly Expiring[]): Expiring[] => {
  const last = new Map<string, Expiring>();
  for (const event of events) {
    const other = last.get(event.organizationId);
    if (other === undefined || isBefore(other, event)) last.set(event.organizationId, event);
  }
  return [...last.values()];
};

/** @param usesOf finds the deliveries of these events */
export const openEventLog = (
  collection: Collection<EventDocument>,
  organizations: Collection<LogExpiry>,
  usesOf: (eventIds: readonly string[]) => Promise<EventUse[]>,
  ciphers: Pick<Ciphers, 'of'>,
): EventLog => {
  /** The times until which deliveries need these events. An event without deliveries is absent from the result. */
  const neededUntil = async (ids: readonly string[], now: Date): Promise<Map<string, Date>> => {
    const until = new Map<string, Date>();
    for (const { eventId, expireAt = later(now, LOOK_AGAIN_MS) } of await usesOf(ids)) {
      const other = until.get(eventId);
      if (other === undefined || other < expireAt) until.set(eventId, expireAt);
    }
    return until;
  };

  /** Whether a majority of the replica set has all these events in the log. */
  const areEntered = async (events: readonly EventRef[]): Promise<boolean> => {
    const entered = { ...amongEvents(events), insertedAt: { $exists: true } };
    const options = {
      projection: { _id: 1 },
      readConcern: 'majority' as const,
      ...byId,
    };
    const found = await collection.find(entered, { ...options, ...atOnce(events.length) }).toArray();
    return found.length === events.length;
  };

  const enter = async (events: readonly StoredEvent[]): Promise<void> => {
    const updates = events.map((event) => {
      const { _id, organizationId, ...fields } = toLogged(event);
      return {
        updateOne: {
          filter: { _id, organizationId },
          // The database reads its own clock while it executes this update, so it does not matter if the process is
          // paused before or after. If the event is already in the log, its existing fields are kept.
          update: [{ $replaceWith: { $mergeObjects: [{ $literal: fields }, ENTERED_NOW, '$$ROOT'] } }],
          upsert: true,
        },
      };
    });
    try {
      await collection.bulkWrite(updates, { ordered: false, maxTimeMS: ENTER_TIMEOUT_MS });
    } catch (error) {
      // Only duplicates failed: another process has entered these events at the same moment.
      if (duplicatesIn(error) !== undefined) return;
      // The events were entered in time, but a majority of the replica set did not have them within the time limit.
      // Check that the majority has them by this time: the events are removed from their records next, so a failover
      // must not roll them back.
      if (isLateMajority(error) && (await areEntered(events))) return;
      if (!isTooSlow(error) || events.length === 1) throw error;
      // The two halves are retried one after the other, so that a slow database makes progress. If a single event takes
      // too long, the error is thrown.
      const half = Math.ceil(events.length / 2);
      await enter(events.slice(0, half));
      await enter(events.slice(half));
    }
  };

  /** Stores how far the log has expired, so that readers learn what they have missed. */
  const markExpired = async (events: readonly Expiring[]): Promise<void> => {
    const updates = lastOfEach(events).map(({ _id: eventId, organizationId, time }) => ({
      updateOne: {
        filter: {
          _id: organizationId,
          $or: [
            { 'logExpiredTo.time': { $exists: false } },
            { 'logExpiredTo.time': { $lt: time } },
            { 'logExpiredTo.time': time, 'logExpiredTo.eventId': { $lt: eventId } },
          ],
        },
        update: { $set: { logExpiredTo: { time, eventId } } },
      },
    }));
    if (updates.length > 0) await organizations.bulkWrite(updates, { ordered: false });
  };

  return {
    enter,

    async bodies(events) {
      const documents = await collection
        .find(amongEvents(events), { projection: { body: 1 }, ...byId, ...atOnce(events.length) })
        .toArray();
      return new Map(
        documents.filter(({ body }) => body instanceof Binary).map(({ _id, body }) => [_id, body]),
      );
    },

    async open(event) {
      const cipher = await ciphers.of(event.organizationId);
      return cipher.opening(() => openBody(event, cipher));
    },

    async expire(now, limit) {
      const due = await collection
        .find(
          { retainUntil: { $lt: now } },
          { projection: { organizationId: 1, insertedAt: 1 }, ...atMost(limit, 'retention') },
        )
        .toArray();
      if (due.length === 0) return 0;
      const needed = await neededUntil(
        due.map(({ _id }) => _id),
        now,
      );
      const kept = due.flatMap(({ _id, organizationId }) => {
        const until = needed.get(_id);
        // A delivery that has expired still exists for a short time before MongoDB deletes it.
        const retainUntil = until !== undefined && until > now ? until : later(now, LOOK_AGAIN_MS);
        const update = { $set: { retainUntil } };
        return until === undefined ? [] : [{ updateOne: { filter: { _id, organizationId }, update } }];
      });
      if (kept.length > 0) await collection.bulkWrite(kept, { ordered: false });
      const unneeded = due.filter(({ _id }) => !needed.has(_id));
      // Events of tests are not in the log.
      await markExpired(
        unneeded.flatMap(({ insertedAt, ...event }) => (insertedAt ? [{ ...event, time: insertedAt }] : [])),
      );
      const { deletedCount } = await collection.deleteMany(
        { ...amongEvents(unneeded), retainUntil: { $lt: now } },
        byId,
      );
      return deletedCount;
    },
  };
};
