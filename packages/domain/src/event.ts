import { z } from 'zod';
import type { Scope } from './principal.ts';
import type { RecordKind } from './record.ts';

/** The names of all events of records. */
export const eventNames = [
  'patient.created',
  'patient.updated',
  'patient.deleted',
  'appointment.created',
  'appointment.updated',
  'appointment.deleted',
  'invoice.created',
  'invoice.updated',
  'invoice.paid',
  'invoice.voided',
  'payment.created',
  'payment.updated',
  'payment.refunded',
] as const;
export type EventName = (typeof eventNames)[number];

/**
 * The event of a test delivery that an operator requests. It concerns no record, and a subscription cannot select it.
 */
export const TEST_EVENT = 'test.ping';

/** The name of an event, used as a filter. */
export const eventNameSchema = z.enum(eventNames, { error: `must be one of ${eventNames.join(', ')}` });

/** The scope that a key needs to read the events of each family. */
const READ_SCOPES = {
  patient: 'patients:read',
  appointment: 'appointments:read',
  invoice: 'invoices:read',
  payment: 'payments:read',
} as const satisfies Record<string, Scope>;
export const eventScopes: readonly Scope[] = Object.values(READ_SCOPES);

/** The kind of the record that the event is about. */
export const kindOfEvent = (event: EventName): keyof typeof READ_SCOPES =>
  event.slice(0, event.indexOf('.')) as keyof typeof READ_SCOPES;

/** The scope that a key needs to read this event. */
export const scopeOfEvent = (event: EventName): Scope => READ_SCOPES[kindOfEvent(event)];

/** Event families, which a subscription can select instead of single events. */
export const eventFamilies = ['patient.*', 'appointment.*', 'invoice.*', 'payment.*'] as const;

const patterns = [...eventNames, ...eventFamilies] as const;
/** An entry of a subscription's `events`. */
export const eventPatternSchema = z.enum(patterns, { error: `must be one of ${patterns.join(', ')}` });
export type EventPattern = z.infer<typeof eventPatternSchema>;

/** Whether a subscription with these `events` wants this event. An empty array means all events. */
export const subscribes = (events: readonly EventPattern[], event: EventName): boolean =>
  events.length === 0 || events.includes(event) || events.includes(`${kindOfEvent(event)}.*`);

/**
 * The principal and the request behind an access or a change, for the audit log and the logs. It is not sent to
 * receivers.
 */
export type Author = {
  principal: { kind: 'apiKey' | 'operator' | 'programToken' | 'system'; id: string };
  requestId: string;
};

/** Who causes events. An import and the service itself have no credentials. */
export const originKinds = ['apiKey', 'programToken', 'operator', 'import', 'service'] as const;

/** Where an event comes from, as receivers see it. */
export type EventOrigin = {
  kind: (typeof originKinds)[number];
  /** A keyed hash of the key or token. Only the caller itself learns whose it is. */
  ref?: string | undefined;
  requestId?: string;
};

/** @param ref that of the key or token of the author; operators have none */
export const originOf = (
  { principal: { kind }, requestId }: Author,
  ref: string | undefined,
): EventOrigin => ({
  kind: kind === 'system' ? 'import' : kind,
  ...(ref !== undefined && { ref }),
  requestId,
});

/** The names of the fields in which two versions of a record differ, without `lastEditTime`. */
const changedFields = (before: object, after: object): string[] => {
  const [one, other] = [before, after] as Record<string, unknown>[];
  return [...new Set([...Object.keys(after), ...Object.keys(before)])].filter(
    (name) => name !== 'lastEditTime' && JSON.stringify(one?.[name]) !== JSON.stringify(other?.[name]),
  );
};

/** An event as it is stored. */
export type Event = Author & {
  _id: string;
  organizationId: string;
  event: EventName;
  kind: RecordKind;
  recordId: string;
  /**
   * The clinics whose subscriptions may want the event: the record's clinic and, if the record moved, its former
   * clinic.
   */
  clinicIds: string[];
  /** The patient that the event is about, if the record has one. */
  patientId?: string;
  time: Date;
  /** The exact text that is sent. Its signature also covers a timestamp. */
  body: string;
};

/** An event as part of the write of its record, which supplies the other fields. */
export type NewEvent = Omit<Event, 'organizationId' | 'kind' | 'recordId'>;

const patientOf = (
  event: EventName,
  { _id, patientId }: { _id?: string; patientId?: string },
): Pick<Event, 'patientId'> => {
  const id = event.startsWith('patient.') ? _id : patientId;
  return id === undefined ? {} : { patientId: id };
};

/**
 * Creates the event of a write, with its body `{ id, event, timestamp, data, origin, changed }` (service description, Delivery
 * request); `timestamp` is in Unix seconds. Only an event that ends with `.updated` has `changed`.
 *
 * @param ref that of the key or token of the author
 * @param record the record as GET returns it after the write; for a deletion, the deleted record
 * @param before the record before the write; absent for a new one
 */
export const newEvent = (
  {
    _id,
    event,
    time,
    author,
    ref,
  }: { _id: string; event: EventName; time: Date; author: Author; ref?: string | undefined },
  record: { _id?: string; clinicId: string; patientId?: string },
  before: { clinicId: string } = record,
): NewEvent => ({
  _id,
  event,
  time,
  clinicIds: [...new Set([record.clinicId, before.clinicId])],
  ...patientOf(event, record),
  principal: author.principal,
  requestId: author.requestId,
  body: JSON.stringify({
    id: _id,
    event,
    timestamp: Math.floor(time.getTime() / 1000),
    data: record,
    origin: originOf(author, ref),
    ...(event.endsWith('.updated') && { changed: changedFields(before, record) }),
  }),
});
