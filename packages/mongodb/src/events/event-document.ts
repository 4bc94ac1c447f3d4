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

/** The value of `about` of an event. */
export const subjectsOf = ({
  recordId,
  patientId,
  clinicIds,
}: Pick<StoredEvent, 'recordId' | 'patientId' | 'clinicIds'>): string[] => [
  ...new Set([recordId, ...(patientId === undefined ? [] : [patientId]), ...clinicIds]),
];

/** @throws {UnreadableValueError} if the body does not open */
export const openBody = ({ _id, body }: { _id: string; body: unknown }, cipher: Cipher): string =>
  cipher.open(body, bodyPlace(_id));

export type EventDocument = Pick<StoredEvent, '_id' | 'organizationId' | 'clinicIds' | 'time' | 'body'> &
  Partial<Omit<StoredEvent, 'event' | 'patientId'>> & {
    event: EventName | typeof TEST_EVENT;
    /** The ids by which events are searched for: those of the record, its patient and its clinics, each once. */
    about?: string[];
    /**
     * When the event entered the log, by the database's clock. Lists are sorted by this field and contain only events
     * that have it.
     */
    insertedAt?: Date;
    /** After this time, the event is deleted unless it still has a delivery. */
    retainUntil: Date;
  };

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
