import type { Appointment, Invoice, Patient, Payment } from './records.ts';

/**
 * Where an event comes from. `ref` names the API key or program token that caused it, to that key or token alone: it is the `ref`
 * of `GET /api/apikeys/current`, or of `GET /api/sessions/current` for a program token.
 *
 * @example
 * const isOwnEcho = ({ ref }: EventOrigin, ownRef: string) => ref === ownRef;
 */
export interface EventOrigin {
  kind: 'apiKey' | 'programToken' | 'operator' | 'import' | 'service';
  ref?: string;
  /** The `X-Request-Id` of the request that caused the event. */
  requestId?: string;
}

/**
 * The fields that every webhook body has.
 *
 * @example
 * const idOf = ({ id, origin }: EventEnvelope<'test.ping', object>) => `${id}, caused by ${origin.kind}`;
 */
export interface EventEnvelope<Name extends string, Data> {
  /** The id of the event. A redelivery has the same id, so use it to detect duplicates. */
  id: string;
  /** The name of the event. */
  event: Name;
  /** When the event happened, as Unix time in seconds. The signature contains the time of sending. */
  timestamp: number;
  /**
   * The record as the API returned it when the event happened. For a deletion, the record before it was deleted. A test
   * has no record. If the subscription has the payload `ids`, only the ids of the record and `lastEditTime`.
   */
  data: Data;
  origin: EventOrigin;
  /**
   * The names of the fields that differ from the version before, without `lastEditTime`. Only events that end with `.updated`
   * have it.
   */
  changed?: string[];
}

/**
 * Something happened to a patient.
 *
 * @example
 * const describe = ({ event, data }: PatientEvent) => `${event}: ${data.name ?? data._id}`;
 */
export type PatientEvent = EventEnvelope<'patient.created' | 'patient.updated' | 'patient.deleted', Patient>;

/**
 * Something happened to an appointment.
 *
 * @example
 * const describe = ({ event, data }: AppointmentEvent) => `${event}: ${data.status}`;
 */
export type AppointmentEvent = EventEnvelope<
  'appointment.created' | 'appointment.updated' | 'appointment.deleted',
  Appointment
>;

/**
 * Something happened to an invoice.
 *
 * @example
 * const describe = ({ event, data }: InvoiceEvent) => `${event}: ${data.total} ${data.currency}`;
 */
export type InvoiceEvent = EventEnvelope<
  'invoice.created' | 'invoice.updated' | 'invoice.paid' | 'invoice.voided',
  Invoice
>;

/**
 * Something happened to a payment.
 *
 * @example
 * const describe = ({ event, data }: PaymentEvent) => `${event}: ${data.amount} ${data.currency}`;
 */
export type PaymentEvent = EventEnvelope<'payment.created' | 'payment.updated' | 'payment.refunded', Payment>;

/**
 * A test that an administrator requested. It concerns no record.
 *
 * @example
 * const describe = ({ id }: TestEvent) => `a test: ${id}`;
 */
export type TestEvent = EventEnvelope<'test.ping', Record<string, unknown>>;

/**
 * Every event that a webhook can contain today. The value of `event` determines the type of `data`. Respond with 2xx to
 * an event that you do not know, because later versions of the service may send more events.
 *
 * @example
 * switch (event.event) {
 *   case 'patient.created':
 *     console.log(event.data.name); // a Patient
 *     break;
 *   default: // not for us
 * }
 */
export type WebhookEvent = PatientEvent | AppointmentEvent | InvoiceEvent | PaymentEvent | TestEvent;

/**
 * The `event` of a {@link WebhookEvent}, also sent as `X-Service-Event`.
 *
 * @example
 * const handled: WebhookEventName[] = ['patient.created', 'patient.updated'];
 */
export type WebhookEventName = WebhookEvent['event'];
