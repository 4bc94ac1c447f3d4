import { z } from 'zod';
import type { EventName } from './event.ts';
import { ownId, timeOf } from './fields.ts';
import { recordKinds } from './record.ts';
import type { ResourceLimit } from './resource-limit.ts';

/** The maximum number of ids in one entry. A longer list of ids is split into several entries. */
export const MAX_AUDITED_IDS = 1000;
/** How long an entry is kept by default (`AUDIT_RETENTION_DAYS`), in days: six years. */
export const DEFAULT_AUDIT_RETENTION_DAYS = 2190;

/**
 * The actions of audit entries:
 *
 * - reads: `read` (one record), `listed` (several records, or audit entries), `events_read` (from the event log)
 * - writes, named after their events: `created` to `refunded`
 * - commands of chairside-admin on records: `imported`, `exported`, `erased`; an export of one patient by an administrator
 *   is `exported`, too
 * - commands of chairside-admin on an organization: `suspended`, `resumed`, `created`, `updated`, `rotated` (its data key), and on its waiting deliveries:
 *   `released`, `discarded`
 * - security actions on a key, an operator, a subscription, a session, a connected app or the audit log: `created`,
 *   `updated`, `deleted`, and `signed_in` to `downloaded`
 * - program tokens, which are entries on a session: `token_created`, `token_used` (from a network for the first time),
 *   `token_ended`
 * - changes of the schedule: `created`, `updated`, `deleted`
 * - deliveries that an operator requests or stops: `tested`, `redelivered`, `redelivery_stopped`
 */
export const auditActions = [
  'read',
  'listed',
  'events_read',
  'created',
  'updated',
  'deleted',
  'paid',
  'voided',
  'refunded',
  'imported',
  'exported',
  'erased',
  'signed_in',
  'signed_out',
  'confirmed',
  'password_changed',
  'invited',
  'invitation_completed',
  'reset_requested',
  'password_reset',
  'factor_added',
  'factor_removed',
  'token_created',
  'token_used',
  'token_ended',
  'sessions_ended',
  'revealed',
  'rotated',
  'granted',
  'denied',
  'downloaded',
  'tested',
  'redelivered',
  'redelivery_stopped',
  'suspended',
  'resumed',
  'released',
  'discarded',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** The kinds of objects that security actions are about. */
export const securityKinds = [
  'organization',
  'operator',
  'session',
  'apiKey',
  'webhookSubscription',
  'webhookDelivery',
  'connection',
  'auditEntry',
] as const;
export type SecurityKind = (typeof securityKinds)[number];
/** The settings of the schedule, whose changes are audited. */
export const scheduleKinds = ['provider', 'procedure', 'calendarBlock', 'openingHours'] as const;
export type ScheduleKind = (typeof scheduleKinds)[number];
/** All kinds that an entry can be about. */
export const auditedKinds = [...recordKinds, ...securityKinds, ...scheduleKinds] as const;

type Happening<Name> = Name extends `${string}.${infer Verb}` ? Verb : never;

/** The audit action of the write that caused this event. */
export const actionOf = (event: EventName): AuditAction =>
  event.slice(event.indexOf('.') + 1) as Happening<EventName>;

/** An audit entry as the API returns it. */
export const auditEntrySchema = z
  .object({
    _id: ownId('01JB000000000000000AVD1T00'),
    time: timeOf(
      'Time of the action. Reads of the audit log by one session with one filter share an entry for ten minutes; it has the time at which these began.',
    ),
    action: z.enum(auditActions).meta({ description: 'The action.', examples: ['read'] }),
    principal: z
      .object({
        kind: z.enum(['apiKey', 'operator', 'programToken', 'app', 'system', 'unknown']).meta({
          description:
            '`app`: a connected app, or someone with a code or token of it. `system`: the command line chairside-admin, or the service itself. `unknown`: the caller was not signed in.',
          examples: ['apiKey'],
        }),
        id: z.string().meta({
          description: 'The `_id` of the API key, operator or program token, or the client id of the app.',
          examples: ['01JB00000000000000AP1KEY00'],
        }),
      })
      .meta({ description: 'The principal behind the action.' }),
    kind: z.enum(auditedKinds).meta({
      description:
        'The kind of record that the entry is about. An entry can also be about operators, sessions, keys, subscriptions, connected apps or settings of the schedule.',
      examples: ['patient'],
    }),
    ids: z.array(z.string()).meta({
      description:
        'The `_id`s of the records, operators, sessions, program tokens, keys, subscriptions or connections.',
      examples: [['01JB0000000000000000PAT1E0']],
    }),
    address: z
      .string()
      .optional()
      .meta({
        description: 'Security actions and changes of the schedule only: the address of the caller.',
        examples: ['203.0.113.7'],
      }),
    changes: z
      .array(
        z.object({
          field: z.string().meta({ description: 'The name of the field.', examples: ['role'] }),
          value: z
            .union([z.string(), z.number(), z.boolean(), z.array(z.string())])
            .optional()
            .meta({
              description: 'The new value; of a URL, the host. Absent if it can contain a secret.',
              examples: ['staff'],
            }),
          before: z
            .string()
            .optional()
            .meta({ description: 'The host of a changed URL before.', examples: ['old.example.com'] }),
        }),
      )
      .optional()
      .describe(
        'Security actions and changes of the schedule only: the fields that were set. Of a subscription that got a URL, `newHost`: whether no subscription of the organization had this host before. Of a program token that ended by itself, as `reason` `lifetime` or `operator` (the access of its operator has changed). Of a connection that the authorization server has ended, the name of the app, and as `reason` `revoked` (by the app), `replay` (a code or refresh token was used twice) or `operator` (the administrator who connected the app has changed).',
      ),
    by: z
      .string()
      .optional()
      .meta({
        description: 'Commands of chairside-admin only: the person who ran it, as given.',
        examples: ['j.doe'],
      }),
    reason: z
      .string()
      .optional()
      .meta({
        description: 'Commands of chairside-admin only: why, as given.',
        examples: ['Ticket 4711: the key was published.'],
      }),
    count: z
      .int()
      .optional()
      .meta({
        description:
          'Refused sign-ins only: the number of refused sign-ins of the operator from one network in one minute.',
        examples: [5],
      }),
    part: z
      .int()
      .optional()
      .meta({
        description: 'A long list leaves several entries. This is the number of the entry, counted from 1.',
        examples: [1],
      }),
    result: z.string().meta({
      description:
        'The result: `ok`, `not_modified`, `headers` (a HEAD request, which returns no record), `refused` (a sign-in), the `name` of the error response, `failed`, or a short description. `begun`: the process crashed before it stored the result.',
      examples: ['ok'],
    }),
    requestId: z.string().meta({
      description:
        'The id of the request, as in `X-Request-Id`. For chairside-admin, the id of the run of the command.',
      examples: ['01JB00000000000000REQVEST0'],
    }),
  })
  .meta({ id: 'AuditEntry', description: 'An access to records, or a security action.' });
export type AuditEntry = z.infer<typeof auditEntrySchema>;

export const auditLimits: readonly ResourceLimit[] = [
  {
    id: 'audited_ids',
    part: 'Reading',
    resource: 'Ids in one audit entry',
    value: MAX_AUDITED_IDS,
    unit: 'ids',
    beyond: 'the list leaves several audit entries',
  },
];
