import { z } from 'zod';
import { recordKinds } from './record.ts';

/**
 * "This record has an unpublished event": ids only, because patient data never enters Redis.
 * `version` is read by dispatchers that are older or newer than the api: each accepts its own and the one before.
 */
export const eventJobSchema = z.object({
  version: z.literal(1),
  organizationId: z.string(),
  kind: z.enum(recordKinds),
  recordId: z.string(),
  eventId: z.string(),
});
export type EventJob = z.infer<typeof eventJobSchema>;
