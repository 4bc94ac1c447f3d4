import { z } from 'zod';
import type { EventName } from './event.ts';
import { instant } from './instant.ts';
import { recordKinds } from './record.ts';

/** The most ids in one entry: a longer list leaves several. */
export const MAX_AUDITED_IDS = 1000;
/** How long an entry is kept unless AUDIT_RETENTION_DAYS says otherwise, in days: six years. */
export const DEFAULT_AUDIT_RETENTION_DAYS = 2190;

/**
 * What was done: a record was `read` by itself, `listed` with others, told by the log of events, written (named as its
 * event), or handled by the operators' command line.
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
] as const;
export type AuditAction = (typeof auditActions)[number];
type Happening<Name> = Name extends `${string}.${infer Verb}` ? Verb : never;

/** The action of the write that this event tells of. */
export const actionOf = (event: EventName): AuditAction =>
  event.slice(event.indexOf('.') + 1) as Happening<EventName>;

/** Who did what to which records, in which request. */
export const auditEntrySchema = z
  .object({
    _id: z.string(),
    time: instant,
    action: z.enum(auditActions),
    principal: z.object({ kind: z.enum(['apiKey', 'operator', 'system']), id: z.string() }),
    kind: z.enum(recordKinds),
    ids: z.array(z.string()),
    /** Of a list that was answered in several parts: which one, from 1. */
    part: z.int().optional(),
    result: z.string(),
    requestId: z.string(),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof auditEntrySchema>;
