import type { Appointment, Invoice, Patient, Payment } from './records.ts';

/** What every webhook body has. */
export interface EventEnvelope<Name extends string, Data> {
  /** The event's own id: the same in a redelivery, so deduplicate on it. */
  id: string;
  /** What happened. */
  event: Name;
  /** Unix time in seconds when it happened; the signature has the time of sending. */
  timestamp: number;
  /** The record as the API returned it at that moment; for a deletion, the record that was deleted. */
  data: Data;
}

/** Something happened to a patient. */
export type PatientEvent = EventEnvelope<'patient.created' | 'patient.updated' | 'patient.deleted', Patient>;

/** Something happened to an appointment. */
export type AppointmentEvent = EventEnvelope<
  'appointment.created' | 'appointment.updated' | 'appointment.deleted',
  Appointment
>;

/** Something happened to an invoice. */
export type InvoiceEvent = EventEnvelope<
  'invoice.created' | 'invoice.updated' | 'invoice.paid' | 'invoice.voided',
  Invoice
>;

/** Something happened to a payment. */
export type PaymentEvent = EventEnvelope<'payment.created' | 'payment.updated' | 'payment.refunded', Payment>;

/** An operator pressed "send a test"; nothing happened to any record. */
export type TestEvent = EventEnvelope<'test.ping', Record<string, unknown>>;

/**
 * Everything that a webhook can carry today, told apart by `event`. Answer 2xx to a kind that you do not know:
 * later versions of the service may send more.
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

/** The `event` of a {@link WebhookEvent}, also sent as `X-Service-Event`. */
export type WebhookEventName = WebhookEvent['event'];
