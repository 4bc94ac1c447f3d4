import { z } from 'zod';
import { eventNames } from './event.ts';
import { instant } from './instant.ts';

/** Why an attempt failed. */
export const failureCauses = [
  'dns',
  'connect',
  'tls',
  'timeout',
  'reset',
  'status',
  'redirect',
  'blocked_address',
  'protocol',
] as const;
export type FailureCause = (typeof failureCauses)[number];

/** `event` is the one attempt of an event; the others are asked for by an operator and never count. */
export const deliveryKinds = ['event', 'redelivery', 'test'] as const;
export type DeliveryKind = (typeof deliveryKinds)[number];

/** What a Delivery is in: the last four are final. */
export const deliveryOutcomes = [
  'queued',
  'sending',
  'succeeded',
  'failed',
  'skipped',
  'interrupted',
] as const;
export type DeliveryOutcome = (typeof deliveryOutcomes)[number];

/**
 * Milliseconds that the phases of an attempt took. A phase that was not gone through is absent (on a reused socket all
 * but `firstByte`); the one in which the attempt failed is there, up to its failure.
 */
export type Timings = { lookup?: number; connect?: number; tls?: number; firstByte?: number };

/** How much of an answer's body is kept, in bytes. */
export const MAX_RESPONSE_BODY_BYTES = 4096;

/**
 * The beginning of an answer's body as text that can be shown anywhere: UTF-8 (whatever is none becomes U+FFFD), white
 * space as single spaces, no control characters.
 */
export const responseText = (body: Uint8Array): string =>
  new TextDecoder()
    // As a stream: a character that the cut went through is left out.
    .decode(body.subarray(0, MAX_RESPONSE_BODY_BYTES), { stream: true })
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim();

/** What one attempt ended in, as its sender saw it. */
export type Attempt = {
  attemptTime: Date;
  /** Milliseconds from the beginning of the attempt to the status line or the failure. */
  duration: number;
  timings: Timings;
  statusCode?: number;
  /** The address that was dialled, if it came so far. */
  address?: string;
  /** The beginning of the answer's body: stored for who reads the Delivery, never logged. */
  responseBody?: string;
} & ({ outcome: 'succeeded' } | { outcome: 'failed'; cause: FailureCause; reason: string });

/** Why a Delivery was not attempted. */
export const skipReasons = ['subscription_disabled', 'subscription_gone', 'event_gone'] as const;
export type SkipReason = (typeof skipReasons)[number];

/**
 * The id of the one Delivery of kind `event` of this event and this subscription:
 * derived, so that making it twice is a harmless duplicate.
 */
export const deliveryId = (eventId: string, subscriptionId: string): string => `${eventId}-${subscriptionId}`;

/** The event of a test that an operator asks for; no record has it and no subscription can name it. */
export const TEST_EVENT = 'test.ping';

const milliseconds = z.number();

/** A Delivery as operators read it. */
export const deliverySchema = z
  .object({
    _id: z.string(),
    subscriptionId: z.string(),
    clinicId: z.string(),
    eventId: z.string(),
    event: z.enum([...eventNames, TEST_EVENT]),
    kind: z.enum(deliveryKinds),
    outcome: z.enum(deliveryOutcomes),
    cause: z.enum([...failureCauses, ...skipReasons]).optional(),
    reason: z.string().optional(),
    statusCode: z.int().optional(),
    address: z.string().optional(),
    duration: milliseconds.optional(),
    timings: z
      .object({
        lookup: milliseconds.optional(),
        connect: milliseconds.optional(),
        tls: milliseconds.optional(),
        firstByte: milliseconds.optional(),
      })
      .optional(),
    responseBody: z.string().optional(),
    worker: z.string().optional(),
    redeliveryOf: z.string().optional(),
    createdTime: instant,
    attemptTime: instant.optional(),
    finalTime: instant.optional(),
  })
  .meta({ id: 'WebhookDelivery' });
export type Delivery = z.infer<typeof deliverySchema>;

/** The outcomes whose events can be sent again together. */
export const redeliverableOutcomes = ['failed', 'interrupted', 'skipped', 'succeeded'] as const;

/** The body of POST /api/webhooksubscriptions/{id}/redeliver. */
export const redeliveryRequestSchema = z.strictObject({
  since: instant,
  until: instant.optional(),
  outcomes: z
    .array(z.enum(redeliverableOutcomes, { error: `must be one of ${redeliverableOutcomes.join(', ')}` }), {
      error: 'must be an array of outcomes',
    })
    .min(1, 'must have at least one entry')
    .overwrite((outcomes) => [...new Set(outcomes)])
    .default(['failed', 'interrupted', 'skipped']),
});
export type RedeliveryRequest = z.infer<typeof redeliveryRequestSchema>;

/** How far the sending again of many Deliveries has come. */
export const redeliverySchema = z
  .object({
    _id: z.string(),
    subscriptionId: z.string(),
    since: instant,
    until: instant,
    outcomes: z.array(z.enum(redeliverableOutcomes)),
    state: z.enum(['running', 'done']),
    /** Deliveries made so far. */
    made: z.int(),
    /** Deliveries whose event is gone, so that there is nothing to send. */
    gone: z.int(),
    createdTime: instant,
    finalTime: instant.optional(),
  })
  .meta({ id: 'WebhookRedelivery' });
export type Redelivery = z.infer<typeof redeliverySchema>;
