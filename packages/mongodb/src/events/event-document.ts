import type { Event, EventName, TEST_EVENT } from '@chairside/domain';
import { Binary } from 'mongodb';
import type { Cipher } from '../encryption/ciphers.ts';
import { SEAL_BYTES } from '../encryption/sealed-value.ts';

const HOUR = 60 * 60 * 1000;
/**
 * How long an event is kept at least after it entered the log: 30 days, and an hour in which most deliveries of that day
 * are deleted. So an event is seldom looked at a second time before it is deleted.
 */
export const EVENT_LIFE_MS = 30 * 24 * HOUR + HOUR;
/**
 * How long after the creation of a delivery its event may be missing from the log. An event enters the log after its
 * deliveries are stored. If the process that stored them crashes in between, the sweep enters the event within seconds.
 */
const MAY_BE_MISSING_MS = 60_000;

/** The sealed body of an event. */
export type StoredBody = Binary;

/** An event as it is stored. Its body moves from the outbox into the log unchanged. */
export type StoredEvent = Omit<Event, 'body'> & { body: StoredBody };

export const bodyPlace = (_id: string) => ({ collection: 'events', _id, field: 'body' });

/** @returns an event with its body as it is stored */
export const withStoredBody = <E extends { _id: string; body: string }>(
  event: E,
  cipher: Cipher,
): Omit<E, 'body'> & { body: StoredBody } => ({
  ...event,
  body: new Binary(cipher.seal(event.body, bodyPlace(event._id))),
});

/** The length of a stored body in bytes. Stored data may be invalid. */
export const lengthOfBody = (body: unknown): number => (body instanceof Binary ? body.length() : 0);

/** The number of bytes of the text that is sent. */
export const sentBytes = (body: unknown): number => Math.max(0, lengthOfBody(body) - SEAL_BYTES);

/** @throws {UnreadableValueError} if the body does not open */
export const openBody = ({ _id, body }: { _id: string; body: unknown }, cipher: Cipher): string =>
  cipher.open(body, bodyPlace(_id));

/** An event of the log, and the event of a test. What its body contains is not repeated, unless a list filters by it. */
export type EventDocument = Pick<StoredEvent, '_id' | 'organizationId' | 'clinicIds' | 'body'> & {
  event: EventName | typeof TEST_EVENT;
  /** The record, and its patient if that is another record. Absent from tests. */
  about?: [recordId: string, patientId?: string];
  /**
   * When the event entered the log, by the database's clock. Lists are sorted by this field and contain only events
   * that have it.
   */
  insertedAt?: Date;
  /** After this time, the event is deleted unless it still has a delivery. */
  retainUntil: Date;
};

/** The fields of an event in the log, except its times. */
export const toLogged = ({
  _id,
  organizationId,
  event,
  recordId,
  patientId,
  clinicIds,
  body,
}: StoredEvent) => ({
  ...{ _id, organizationId, event, clinicIds, body },
  about: patientId === undefined || patientId === recordId ? [recordId] : [recordId, patientId],
});

/**
 * Whether the event of a delivery may still enter the log. If the delivery is older and its event is missing, the event
 * is gone.
 */
export const mayStillEnter = ({ createdTime }: { createdTime: Date }, now: Date): boolean =>
  now.getTime() - createdTime.getTime() < MAY_BE_MISSING_MS;

/** The fields of an organization that tell how far its log has expired. */
export type LogExpiry = {
  _id: string;
  /** The last event that expired from the log, in the order of the log. Absent if none has. */
  logExpiredTo?: { time: Date; eventId: string };
};

/** The shard key of an event: its organization and its id. */
export type EventRef = Pick<EventDocument, '_id' | 'organizationId'>;

/**
 * Matches these events. The filter contains the organizations, with which the shard key begins, so that `mongos`
 * queries only the shards that store the events.
 */
export const amongEvents = (events: readonly EventRef[]) => ({
  _id: { $in: events.map(({ _id }) => _id) },
  organizationId: { $in: [...new Set(events.map(({ organizationId }) => organizationId))] },
});

export const later = (date: Date, milliseconds: number) => new Date(date.getTime() + milliseconds);
