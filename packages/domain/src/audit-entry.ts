import { z } from 'zod';
import type { EventName } from './event.ts';
import { ownId, timeOf } from './fields.ts';
import { recordKinds } from './record.ts';
import type { ResourceLimit } from './resource-limit.ts';

/** The most ids in one entry: a longer list leaves several. */
export const MAX_AUDITED_IDS = 1000;
/** How long an entry is kept unless AUDIT_RETENTION_DAYS says otherwise, in days: six years. */
export const DEFAULT_AUDIT_RETENTION_DAYS = 2190;

/**
 * What was done: a record was `read` by itself, `listed` with others, told by the log of events, written (named as its
 * event), or handled by the operators' command line; or a security action was done to a key, an operator, a
 * subscription or a session.
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
  'revealed',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** What an entry can be about besides a record: who may get in, and where webhooks go. */
export const securityKinds = ['operator', 'session', 'apiKey', 'webhookSubscription'] as const;
export type SecurityKind = (typeof securityKinds)[number];
/** What an entry can be about. */
export const auditedKinds = [...recordKinds, ...securityKinds] as const;

type Happening<Name> = Name extends `${string}.${infer Verb}` ? Verb : never;

/** The action of the write that this event tells of. */
export const actionOf = (event: EventName): AuditAction =>
  event.slice(event.indexOf('.') + 1) as Happening<EventName>;

/** Who did what to which records, in which request. */
export const auditEntrySchema = z
  .object({
    _id: ownId('01JB000000000000000AVD1T00'),
    time: timeOf('When it was done.'),
    action: z.enum(auditActions).meta({ description: 'What was done.', examples: ['read'] }),
    principal: z
      .object({
        kind: z.enum(['apiKey', 'operator', 'system', 'unknown']).meta({
          description: '`system`: the command line beside the database; `unknown`: nobody had signed in.',
          examples: ['apiKey'],
        }),
        id: z.string().meta({ description: 'Its `_id`.', examples: ['01JB00000000000000AP1KEY00'] }),
      })
      .meta({ description: 'Who did it.' }),
    kind: z.enum(auditedKinds).meta({ description: 'What it was done to.', examples: ['patient'] }),
    ids: z
      .array(z.string())
      .meta({ description: 'The `_id` of each.', examples: [['01JB0000000000000000PAT1E0']] }),
    address: z
      .string()
      .optional()
      .meta({ description: 'With a security action: where the caller was.', examples: ['203.0.113.7'] }),
    changes: z
      .array(
        z.object({
          field: z.string().meta({ description: 'The name of the field.', examples: ['role'] }),
          value: z
            .union([z.string(), z.number(), z.boolean(), z.array(z.string())])
            .optional()
            .meta({ description: 'Its new value, where that can hold no secret.', examples: ['staff'] }),
        }),
      )
      .optional()
      .describe('With a security action: what was set.'),
    count: z
      .int()
      .optional()
      .meta({
        description: 'With refused sign-ins: how many in this minute, from this network.',
        examples: [5],
      }),
    part: z
      .int()
      .optional()
      .meta({ description: 'Of a list that was answered in parts: which one, from 1.', examples: [1] }),
    result: z.string().meta({
      description:
        'What came of it: `ok`, `not_modified`, `headers` (a HEAD, which shows no record), `refused` (a sign-in), the `name` of the refusal, `failed`, or in words. `begun`: the process died before it could say.',
      examples: ['ok'],
    }),
    requestId: z.string().meta({
      description: 'The request, as in `X-Request-Id`, or the run of a command.',
      examples: ['01JB00000000000000REQVEST0'],
    }),
  })
  .meta({ id: 'AuditEntry', description: 'Who did what to which records.' });
export type AuditEntry = z.infer<typeof auditEntrySchema>;

export const auditLimits: readonly ResourceLimit[] = [
  {
    id: 'audited_ids',
    part: 'Reading',
    resource: 'Ids in one audit entry',
    value: MAX_AUDITED_IDS,
    unit: 'ids',
    beyond: 'the list leaves several entries',
  },
];
