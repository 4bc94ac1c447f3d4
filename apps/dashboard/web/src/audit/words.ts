import type { AuditEntry } from '@chairside/client';
import { SWITCHABLE, type SwitchableNotice } from '../notices/words.ts';

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
  invited: 'Invited',
  invitation_completed: 'Invitation accepted',
  reset_requested: 'New password requested',
  password_reset: 'New password chosen',
  factor_added: 'Factor added',
  factor_removed: 'Factor removed',
  token_created: 'Program token created',
  token_used: 'Program token first used from a network',
  token_ended: 'Program token ended',
  sessions_ended: 'Sessions ended',
  revealed: 'Secret revealed',
  rotated: 'Secret rotated',
  granted: 'Connection granted',
  denied: 'Connection denied',
  downloaded: 'Downloaded',
  tested: 'Test sent',
  redelivered: 'Redelivered',
  redelivery_stopped: 'Redelivery stopped',
  suspended: 'Suspended',
  resumed: 'Resumed',
  released: 'Released',
  discarded: 'Discarded',
};

/** The kinds of things that an entry can be about, in words. */
export const KINDS: Readonly<Record<AuditEntry['kind'], string>> = {
  patient: 'Patient',
  appointment: 'Appointment',
  clinic: 'Clinic',
  invoice: 'Invoice',
  payment: 'Payment',
  treatment: 'Treatment',
  organization: 'Organization',
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

/**
 * What a principal did, as the verb of a sentence whose object is the kind: in the past, and after “tried to”.
 */
const VERBS: Readonly<Record<AuditEntry['action'], readonly [did: string, tried: string]>> = {
  read: ['opened', 'open'],
  listed: ['listed', 'list'],
  events_read: ['read the events of', 'read the events of'],
  created: ['created', 'create'],
  updated: ['changed', 'change'],
  deleted: ['deleted', 'delete'],
  paid: ['marked as paid', 'mark as paid'],
  voided: ['voided', 'void'],
  refunded: ['refunded', 'refund'],
  imported: ['imported', 'import'],
  exported: ['exported', 'export'],
  erased: ['erased', 'erase'],
  signed_in: ['signed in with', 'sign in as'],
  signed_out: ['signed out of', 'sign out of'],
  confirmed: ['confirmed the password of', 'confirm the password of'],
  password_changed: ['changed the password of', 'change the password of'],
  invited: ['invited', 'invite'],
  invitation_completed: ['accepted the invitation of', 'accept the invitation of'],
  reset_requested: ['requested a new password for', 'request a new password for'],
  password_reset: ['chose a new password for', 'choose a new password for'],
  factor_added: ['added a factor to', 'add a factor to'],
  factor_removed: ['removed a factor of', 'remove a factor of'],
  token_created: ['created the program token', 'create a program token'],
  token_used: ['first used from this network the program token', 'use the program token'],
  token_ended: ['ended the program token', 'end the program token'],
  sessions_ended: ['ended the sessions of', 'end the sessions of'],
  revealed: ['revealed the secret of', 'reveal the secret of'],
  rotated: ['rotated the secret of', 'rotate the secret of'],
  granted: ['connected', 'connect'],
  denied: ['refused to connect', 'refuse to connect'],
  downloaded: ['downloaded', 'download'],
  tested: ['sent a test to', 'send a test to'],
  redelivered: ['redelivered', 'redeliver'],
  redelivery_stopped: ['stopped a redelivery of', 'stop a redelivery of'],
  suspended: ['suspended', 'suspend'],
  resumed: ['resumed', 'resume'],
  released: ['released waiting', 'release waiting'],
  discarded: ['discarded waiting', 'discard waiting'],
};

/** Results without a refusal or a failure. `headers` and `not_modified` are reads without the body. */
const isDone = (result: string): boolean => ['ok', 'headers', 'not_modified'].includes(result);

/** How an entry ended that was not done, in one word. */
export const stateOf = (result: string): 'Refused' | 'Failed' | 'Not known' | undefined => {
  if (isDone(result)) return undefined;
  if (result === 'failed') return 'Failed';
  return result === 'begun' ? 'Not known' : 'Refused';
};

/** The verb of an entry, as far as it was done. */
export const verbOf = ({ kind, action, result }: Pick<AuditEntry, 'kind' | 'action' | 'result'>): string => {
  const isDisconnected = kind === 'connection' && action === 'deleted';
  const [did, tried] = isDisconnected ? ['disconnected', 'disconnect'] : VERBS[action];
  if (isDone(result)) return did;
  return result === 'begun' ? `began to ${tried}` : `tried to ${tried}`;
};

/** The actions that need a password, for which `Forbidden` means that it was wrong. */
const WITH_PASSWORD: readonly AuditEntry['action'][] = ['confirmed', 'revealed', 'password_changed'];

const REASONS: Readonly<Record<string, string>> = {
  refused: 'the password was wrong',
  failed: 'the service could not do it',
  begun: 'it is not known whether it was done',
  headers: 'without the content',
  not_modified: 'nothing new since the last time',
  ValidationError: 'the values were not valid',
  BadRequest: 'the request was not valid',
  Unauthorized: 'not signed in, or the password was wrong',
  Forbidden: 'not allowed',
  NotFound: 'there was no such thing',
  Conflict: 'something else had been done before',
  Gone: 'it was no longer there',
  PreconditionFailed: 'somebody else had changed it',
  TooManyRequests: 'too many attempts',
  ServiceUnavailable: 'the service was not available',
};

/** Why an entry was not done, or was done only in part; undefined if there is nothing to say. */
export const reasonOf = ({ action, result }: Pick<AuditEntry, 'action' | 'result'>): string | undefined => {
  if (result === 'ok') return undefined;
  if (result === 'Forbidden' && WITH_PASSWORD.includes(action)) return REASONS.refused;
  return REASONS[result] ?? result;
};

const PLURALS: Partial<Record<AuditEntry['kind'], string>> = {
  auditEntry: 'the audit log',
  webhookDelivery: 'deliveries',
  openingHours: 'opening hours',
};

const withArticle = (word: string): string => `${/^[aeiou]|^API/.test(word) ? 'an' : 'a'} ${word}`;

/**
 * The kind in the middle of a sentence: `patient` before an id, `12 patients`, and without an id `a patient`, or
 * `patients` for a list.
 */
export const kindText = ({ kind, action, ids }: Pick<AuditEntry, 'kind' | 'action' | 'ids'>): string => {
  if (action.startsWith('token_')) return '';
  if (kind === 'auditEntry') return 'the audit log';
  const name = kind === 'connection' ? 'app' : KINDS[kind];
  const word = name.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
  const plural = PLURALS[kind] ?? `${word}s`;
  if (ids.length > 1) return `${ids.length} ${plural}`;
  if (ids.length === 1) return word;
  if (action === 'listed' || action === 'downloaded' || plural === word) return plural;
  return withArticle(word);
};

/** The names of fields in words, where they cannot be derived. */
const FIELDS: Readonly<Record<string, string>> = {
  url: 'URL',
  email: 'e-mail',
  rateLimit: 'requests per minute',
  clinicId: 'clinic',
  clinicIds: 'clinics',
  providerId: 'provider',
  principalId: 'operator, key or token',
  recordId: 'record',
  requestId: 'request',
  clientId: 'client id',
};

type Change = NonNullable<AuditEntry['changes']>[number];

/** Returns the name of what a field refers to with an id; the id itself if it has no name. */
export type Naming = (field: string, id: string) => string;

/** A changed field in words. */
const changeText = ({ field, value, before }: Change, nameOf: Naming): string => {
  const name = FIELDS[field] ?? field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  if (field in SWITCHABLE) {
    const [notice] = SWITCHABLE[field as SwitchableNotice];
    return `notice “${notice}” ${value === true ? 'on' : 'off'}`;
  }
  if (field === 'newHost') return `host ${value === true ? 'that is new' : 'known'} to the organization`;
  // All other fields of this type are adjectives, such as `active`.
  if (typeof value === 'boolean') return value ? name : `not ${name}`;
  // A subscription without events gets all of them.
  const none = field === 'events' ? 'all' : 'none';
  const shown = Array.isArray(value)
    ? value.map((each) => nameOf(field, String(each))).join(', ') || none
    : value === undefined
      ? undefined
      : nameOf(field, String(value));
  if (before === undefined) return shown === undefined ? name : `${name}: ${shown}`;
  return shown === undefined ? `${name}, before ${before}` : `${name} from ${before} to ${shown}`;
};

const areSame = ({ value, before }: Change): boolean => value !== undefined && value === before;

/**
 * The changes of an entry in words, or the filters of a list. Of a URL, only the host is stored, so a change that leaves
 * the host shows it once.
 */
export const changesText = (
  { action, changes = [] }: Pick<AuditEntry, 'action' | 'changes'>,
  nameOf: Naming,
): string => {
  const isOnHost = changes.some((change) => change.field === 'url' && areSame(change));
  const texts = changes
    .filter(({ field }) => !(isOnHost && field === 'newHost'))
    .map((change) =>
      change.field === 'url' && areSame(change)
        ? `URL on the same host, ${change.value}`
        : changeText(change, nameOf),
    );
  const text = texts.join('; ');
  return text !== '' && (action === 'listed' || action === 'downloaded') ? `filters: ${text}` : text;
};
