import { z } from 'zod';
import { recordKinds } from './record.ts';

const unpublishedEventSchema = z.object({
  organizationId: z.string(),
  kind: z.enum(recordKinds),
  recordId: z.string(),
  eventId: z.string(),
  /** The clinics of the event, so that their subscriptions can be read with it. */
  clinicIds: z.array(z.string()),
});

/**
 * A notification of a record with an unpublished event. It contains only ids and a kind, because patient data must not
 * enter Redis.
 */
export type UnpublishedEvent = z.infer<typeof unpublishedEventSchema>;

/** Raised when a dispatcher of the previous version could misread a job; each dispatcher then accepts both versions. */
export const EVENTS_JOB_VERSION = 1;

/** A job with events that were written at about the same time. */
export const eventsJobSchema = z.object({
  version: z.literal(EVENTS_JOB_VERSION),
  events: z.array(unpublishedEventSchema),
});
export type EventsJob = z.infer<typeof eventsJobSchema>;
