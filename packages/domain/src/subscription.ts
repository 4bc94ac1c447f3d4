import { z } from 'zod';
import { eventPatternSchema } from './event.ts';
import { instant } from './instant.ts';
import { id, text } from './text.ts';

/** The most subscriptions a clinic can have. */
export const MAX_SUBSCRIPTIONS_PER_CLINIC = 20;
/** The failures in a row that disable a subscription (service description, Delivery behaviour 2). */
export const MAX_CONSECUTIVE_FAILURES = 20;
/** The longest URL of a subscription, in characters. */
export const MAX_URL_LENGTH = 2048;

const url = text(MAX_URL_LENGTH);
const events = z
  .array(eventPatternSchema, { error: 'must be an array of event names' })
  .max(100, 'must have at most 100 entries')
  .overwrite((entries) => [...new Set(entries)]);

/** A subscription as list, get, update and delete return it: without its secret. */
export const subscriptionSchema = z
  .object({
    _id: id,
    clinicId: id,
    url,
    events: z.array(eventPatternSchema),
    active: z.boolean(),
    createdTime: instant,
    lastEditTime: instant,
    consecutiveFailures: z.int(),
    disabledTime: instant.optional(),
    disabledReason: z.string().optional(),
    lastDeliveryTime: instant.optional(),
    lastStatusCode: z.int().optional(),
  })
  .meta({ id: 'WebhookSubscription' });
export type Subscription = z.infer<typeof subscriptionSchema>;

/** A subscription as create returns it, this once: with its secret. */
export const createdSubscriptionSchema = subscriptionSchema
  .extend({ secret: z.string() })
  .meta({ id: 'CreatedWebhookSubscription' });

/** The body of POST /api/webhooksubscriptions. */
export const subscriptionCreateSchema = z.strictObject({
  clinicId: id,
  url,
  events: events.default([]),
  active: z.boolean({ error: 'must be true or false' }).default(true),
});

export type SubscriptionCreate = z.infer<typeof subscriptionCreateSchema>;

/** The body of PUT /api/webhooksubscriptions/{id}; what the server owns may be sent back and is ignored. */
export const subscriptionUpdateSchema = z.strictObject({
  _id: id.optional(),
  clinicId: id.optional(),
  url: url.optional(),
  events: events.optional(),
  active: z.boolean({ error: 'must be true or false' }).optional(),
  createdTime: z.unknown().optional(),
  lastEditTime: z.unknown().optional(),
  consecutiveFailures: z.unknown().optional(),
  disabledTime: z.unknown().optional(),
  disabledReason: z.unknown().optional(),
  lastDeliveryTime: z.unknown().optional(),
  lastStatusCode: z.unknown().optional(),
});
export type SubscriptionUpdate = z.infer<typeof subscriptionUpdateSchema>;

/** What the dispatcher must know of a subscription. */
export type Receiver = {
  _id: string;
  organizationId: string;
  clinicId: string;
  url: string;
  active: boolean;
  /** Counts how often it was enabled: only failures of attempts begun since then count. */
  activation: number;
  secret: string;
};
