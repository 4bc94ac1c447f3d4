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

/** The scope that a key needs to read this event. */
export const scopeOfEvent = (event: EventName): Scope =>
  READ_SCOPES[event.slice(0, event.indexOf('.')) as keyof typeof READ_SCOPES];

/** Event families, which a subscription can select instead of single events. */
export const eventFamilies = ['patient.*', 'appointment.*', 'invoice.*', 'payment.*'] as const;

const patterns = [...eventNames, ...eventFamilies] as const;
/** An entry of a subscription's `events`. */
export const eventPatternSchema = z.enum(patterns, { error: `must be one of ${patterns.join(', ')}` });
export type EventPattern = z.infer<typeof eventPatternSchema>;

/** Whether a subscription with these `events` wants this event. An empty array means all events. */
export const subscribes = (events: readonly EventPattern[], event: EventName): boolean =>
  events.length === 0 ||
  events.includes(event) ||
  events.includes(`${event.slice(0, event.indexOf('.'))}.*` as EventPattern);

/**
 * The principal and the request behind an access or a change, for the audit log and the logs. It is not sent to
 * receivers.
 */
export type Author = {
  principal: { kind: 'apiKey' | 'operator' | 'programToken' | 'system'; id: string };
  requestId: string;
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
 * Creates the event of a write, with its body `{ id, event, timestamp, data }` (service description, Delivery request);
 * `timestamp` is in Unix seconds.
 *
 * @param record the record as GET returns it after the write; for a deletion, the deleted record
 * @param formerClinicId the clinic that the record belonged to before the write
 */
export const newEvent = (
  { _id, event, time, author }: { _id: string; event: EventName; time: Date; author: Author },
  record: { _id?: string; clinicId: string; patientId?: string },
  formerClinicId: string = record.clinicId,
): NewEvent => ({
  _id,
  event,
  time,
  clinicIds: [...new Set([record.clinicId, formerClinicId])],
  ...patientOf(event, record),
  principal: author.principal,
  requestId: author.requestId,
  body: JSON.stringify({ id: _id, event, timestamp: Math.floor(time.getTime() / 1000), data: record }),
});
