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
  provider: 'Provider',
  procedure: 'Procedure',
  calendarBlock: 'Calendar block',
  openingHours: 'Opening hours',
};

/** What a principal did, as the verb of a sentence whose object is the kind. */
export const VERBS: Readonly<Record<AuditEntry['action'], string>> = {
  read: 'opened',
  listed: 'listed',
  events_read: 'read the events of',
  created: 'created',
  updated: 'changed',
  deleted: 'deleted',
  paid: 'marked as paid',
  voided: 'voided',
  refunded: 'refunded',
  imported: 'imported',
  exported: 'exported',
  erased: 'erased',
  signed_in: 'signed in with',
  signed_out: 'signed out of',
  confirmed: 'confirmed the password of',
  password_changed: 'changed the password of',
  token_created: 'created the program token',
  token_used: 'first used from this network the program token',
  token_ended: 'ended the program token',
  sessions_ended: 'ended the sessions of',
  revealed: 'revealed the secret of',
  granted: 'connected',
  denied: 'refused to connect',
  downloaded: 'downloaded',
  tested: 'sent a test to',
  redelivered: 'redelivered',
  redelivery_stopped: 'stopped a redelivery of',
};

const PLURALS: Partial<Record<AuditEntry['kind'], string>> = {
  auditEntry: 'the audit log',
  webhookDelivery: 'deliveries',
  openingHours: 'opening hours',
};

/** The kind in the middle of a sentence: `patient`, or `12 patients`. */
export const kindText = ({ kind, action, ids }: Pick<AuditEntry, 'kind' | 'action' | 'ids'>): string => {
  if (action.startsWith('token_')) return '';
  const word = KINDS[kind].replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
  if (kind === 'auditEntry') return 'the audit log';
  return ids.length > 1 ? `${ids.length} ${PLURALS[kind] ?? `${word}s`}` : word;
};

/** The names of fields in words, where they cannot be derived. */
const FIELDS: Readonly<Record<string, string>> = {
  url: 'URL',
  email: 'e-mail',
  newHost: 'host that is new to the organization',
  rateLimit: 'requests per minute',
};

/** A changed field in words. */
export const changeText = ({ field, value, before }: NonNullable<AuditEntry['changes']>[number]): string => {
  const name = FIELDS[field] ?? field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  // All other fields of this type are adjectives, such as `active`.
  if (typeof value === 'boolean') return value ? name : `${field === 'newHost' ? 'no' : 'not'} ${name}`;
  const shown = Array.isArray(value) ? value.join(', ') || 'none' : value;
  const from = before === undefined ? '' : ` from ${before}`;
  return shown === undefined ? `${name}${from}` : `${name}${from}: ${shown}`;
};
