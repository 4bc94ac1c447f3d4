import type { WebhookSubscription } from '@chairside/client';

/** An entry of a subscription's events: a family such as `patient.*`, or one event. */
export type EventEntry = WebhookSubscription['events'][number];

type Family = { family: EventEntry; label: string; events: readonly EventEntry[] };

export const FAMILIES: readonly Family[] = [
  {
    family: 'patient.*',
    label: 'Patients',
    events: ['patient.created', 'patient.updated', 'patient.deleted'],
  },
  {
    family: 'appointment.*',
    label: 'Appointments',
    events: ['appointment.created', 'appointment.updated', 'appointment.deleted'],
  },
  {
    family: 'invoice.*',
    label: 'Invoices',
    events: ['invoice.created', 'invoice.updated', 'invoice.paid', 'invoice.voided'],
  },
  {
    family: 'payment.*',
    label: 'Payments',
    events: ['payment.created', 'payment.updated', 'payment.refunded'],
  },
];

/** The events to choose from. */
export const EVENT_CHOICES = FAMILIES.flatMap(({ events }) => events).map((event) => ({
  value: event,
  label: event,
}));
