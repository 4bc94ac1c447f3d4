import type { AuditEntry } from '@chairside/client';

/** The actions in words. */
export const ACTIONS: Readonly<Record<AuditEntry['action'], string>> = {
  read: 'Read',
  listed: 'Listed',
  events_read: 'Events read',
  created: 'Created',
  updated: 'Updated',
  deleted: 'Deleted',
  paid: 'Paid',
  voided: 'Voided',
  refunded: 'Refunded',
  imported: 'Imported',
  exported: 'Exported',
  erased: 'Erased',
  signed_in: 'Signed in',
  signed_out: 'Signed out',
  confirmed: 'Password confirmed',
  password_changed: 'Password changed',
  token_created: 'Program token created',
  token_used: 'Program token first used from a network',
  token_ended: 'Program token ended',
  sessions_ended: 'Sessions ended',
  revealed: 'Secret revealed',
  granted: 'Connection granted',
  denied: 'Connection denied',
  downloaded: 'Downloaded',
  tested: 'Test sent',
  redelivered: 'Redelivered',
  redelivery_stopped: 'Redelivery stopped',
};

/** The kinds of things that an entry can be about, in words. */
export const KINDS: Readonly<Record<AuditEntry['kind'], string>> = {
  patient: 'Patient',
  appointment: 'Appointment',
  clinic: 'Clinic',
  invoice: 'Invoice',
  payment: 'Payment',
  treatment: 'Treatment',
  operator: 'Operator',
  session: 'Session',
  apiKey: 'API key',
  webhookSubscription: 'Subscription',
  webhookDelivery: 'Delivery',
  connection: 'Connected app',
  auditEntry: 'Audit log',
};
