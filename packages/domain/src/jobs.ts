import { z } from 'zod';
import { recordKinds } from './record.ts';

const unpublishedEventSchema = z.object({
  organizationId: z.string(),
  kind: z.enum(recordKinds),
  recordId: z.string(),
  eventId: z.string(),
  /** The clinics of the event, so that their subscriptions can be read with it. Earlier versions of the api leave them out. */
  clinicIds: z.array(z.string()).optional(),
});

/**
 * A notification of a record with an unpublished event. It contains only ids and a kind, because patient data must not
 * enter Redis.
 */
export type UnpublishedEvent = z.infer<typeof unpublishedEventSchema>;

export const EVENTS_JOB_VERSION = 2;

/**
 * A job with events that were written at about the same time. The api and a dispatcher may have different versions, so
 * each dispatcher accepts its own `version` and the previous version. Version 1 has one job for each event.
 */
export const eventsJobSchema = z
  .discriminatedUnion('version', [
    z.object({ version: z.literal(EVENTS_JOB_VERSION), events: z.array(unpublishedEventSchema) }),
    unpublishedEventSchema.extend({ version: z.literal(1) }),
  ])
  .transform((job): UnpublishedEvent[] => {
    if (job.version === EVENTS_JOB_VERSION) return job.events;
    const { version, ...event } = job;
    return [event];
  });
export type EventsJob = z.input<typeof eventsJobSchema>;
