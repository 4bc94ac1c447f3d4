import { z } from 'zod';
import { eventNames, TEST_EVENT } from './event.ts';
import { clinicId, idOf, ownId, timeOf } from './fields.ts';
import { listOf } from './list.ts';
import type { ResourceLimit } from './resource-limit.ts';

/** Why a Delivery failed; `configuration`: nothing was sent, because of what is stored of the subscription. */
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
  'configuration',
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
  /** The address that was connected to, or tried last; absent if there was none yet, or if it is blocked. */
  address?: string;
  /** The beginning of the answer's body: stored for who reads the Delivery, never logged. */
  responseBody?: string;
} & ({ outcome: 'succeeded' } | { outcome: 'failed'; cause: FailureCause; reason: string; code?: string });

/** Why a Delivery was not attempted. */
export const skipReasons = ['subscription_disabled', 'subscription_gone', 'event_gone'] as const;
export type SkipReason = (typeof skipReasons)[number];

/**
 * The id of the one Delivery of kind `event` of this event and this subscription:
 * derived, so that making it twice is a harmless duplicate.
 */
export const deliveryId = (eventId: string, subscriptionId: string): string => `${eventId}-${subscriptionId}`;

const longId = (description: string) =>
  z.string().meta({ description, examples: ['01JB000000000000000EVENT10-01JB000000000000SVBSCR1PT0'] });
const milliseconds = z.number().meta({ examples: [12.5] });
const subscriptionId = idOf('the subscription', '01JB000000000000SVBSCR1PT0');
const OUTCOMES = {
  description: 'Of which outcome the Deliveries are.',
  examples: [['failed', 'interrupted', 'skipped']],
};
const since = timeOf('Deliveries made at this time or later.');
const until = timeOf('Deliveries made until this time; now, if it is not sent.', '2030-02-01T00:00:00.000Z');

/** A Delivery as operators read it. */
export const deliverySchema = z
  .object({
    _id: longId('Identifier: what `X-Service-Delivery-Id` says.'),
    subscriptionId,
    clinicId,
    eventId: idOf('the event', '01JB000000000000000EVENT10'),
    event: z
      .enum([...eventNames, TEST_EVENT])
      .meta({ description: 'What happened.', examples: ['patient.created'] }),
    kind: z.enum(deliveryKinds).meta({
      description: '`event` is the one attempt of an event; the others were asked for and never count.',
      examples: ['event'],
    }),
    outcome: z.enum(deliveryOutcomes).meta({
      description: 'How it ended. `queued` and `sending` are not final; `interrupted`: nobody knows.',
      examples: ['failed'],
    }),
    cause: z
      .enum([...failureCauses, ...skipReasons])
      .optional()
      .meta({
        description:
          'Why it failed or was skipped. `configuration`: nothing was sent, because the stored URL or secret of the subscription cannot be used; `reason` says which.',
        examples: ['status'],
      }),
    reason: z
      .string()
      .optional()
      .meta({
        description: 'The same in a sentence, for people; its wording may change.',
        examples: ['The receiver responded with status 500.'],
      }),
    // Without an example of its own: the example of a delivery is composed of its fields, and is about a status.
    code: z
      .string()
      .optional()
      .describe(
        'The code of the error behind `dns`, `connect`, `tls`, `reset` or `protocol`, as Node.js or OpenSSL reports it, for example `ECONNREFUSED` or `CERT_HAS_EXPIRED`.',
      ),
    statusCode: z
      .int()
      .optional()
      .meta({ description: 'What the receiver answered.', examples: [500] }),
    address: z
      .string()
      .optional()
      .meta({
        description:
          'The address that was connected to, or tried last. Absent if the attempt ended before, and for `blocked_address`.',
        examples: ['203.0.113.10'],
      }),
    duration: milliseconds
      .describe('Milliseconds from the beginning of the attempt to the status line or the failure.')
      .optional(),
    timings: z
      .object({
        lookup: milliseconds.describe('To look up the name.').optional(),
        connect: milliseconds.describe('To connect.').optional(),
        tls: milliseconds.describe('To agree on TLS.').optional(),
        firstByte: milliseconds.describe('From there to the status line.').optional(),
      })
      .optional()
      .describe('Milliseconds of each phase that was gone through.'),
    responseBody: z
      .string()
      .optional()
      .meta({ description: `The beginning of the answer, at most ${MAX_RESPONSE_BODY_BYTES} bytes.` }),
    worker: z.string().optional().describe('Which process made the attempt.'),
    redeliveryOf: z.string().optional().describe('The Delivery that it repeats.'),
    createdTime: timeOf('When it was made.'),
    attemptTime: timeOf('When the attempt began.').optional(),
    finalTime: timeOf('When it ended.').optional(),
  })
  .meta({ id: 'WebhookDelivery', description: 'One event for one subscription: one attempt.' });
export type Delivery = z.infer<typeof deliverySchema>;

/** The outcomes whose events can be sent again together. */
export const redeliverableOutcomes = ['failed', 'interrupted', 'skipped', 'succeeded'] as const;

/** The most entries of `outcomes` in a request. Duplicates collapse, so there is some room for them. */
const MAX_OUTCOMES = 100;

/** The body of POST /api/webhooksubscriptions/{id}/redeliver. */
export const redeliveryRequestSchema = z
  .strictObject({
    since,
    until: until.optional(),
    outcomes: listOf(
      z.enum(redeliverableOutcomes, { error: `must be one of ${redeliverableOutcomes.join(', ')}` }),
      MAX_OUTCOMES,
      'must be an array of outcomes',
    )
      .refine((outcomes) => outcomes.length > 0, 'must have at least one entry')
      .overwrite((outcomes) => [...new Set(outcomes)])
      .meta({ ...OUTCOMES, minItems: 1 })
      .default(['failed', 'interrupted', 'skipped']),
  })
  .meta({ id: 'WebhookRedeliveryCreate' });
export type RedeliveryRequest = z.infer<typeof redeliveryRequestSchema>;

/** How far the sending again of many Deliveries has come. */
export const redeliverySchema = z
  .object({
    _id: ownId('01JB00000000000REDEL1VERY0'),
    subscriptionId,
    since,
    until,
    outcomes: z.array(z.enum(redeliverableOutcomes)).meta(OUTCOMES),
    state: z.enum(['running', 'done']).meta({ description: 'Whether it goes on.', examples: ['done'] }),
    made: z.int().meta({ description: 'Deliveries made so far.', examples: [12] }),
    gone: z
      .int()
      .meta({ description: 'Deliveries whose event is gone: there is nothing to send.', examples: [0] }),
    createdTime: timeOf('When it was asked for.'),
    finalTime: timeOf('When it was done.', '2030-01-31T09:30:02.000Z').optional(),
  })
  .meta({
    id: 'WebhookRedelivery',
    description: 'How far the sending again of many Deliveries has come.',
  });
export type Redelivery = z.infer<typeof redeliverySchema>;

export const deliveryLimits: readonly ResourceLimit[] = [
  {
    id: 'response_body',
    part: 'Webhooks',
    resource: 'Kept beginning of the answer of a receiver',
    value: MAX_RESPONSE_BODY_BYTES / 1024,
    unit: 'KiB',
    beyond: 'the rest is not kept',
  },
];
