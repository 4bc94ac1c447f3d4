import { z } from 'zod';
import { eventPatternSchema } from './event.ts';
import { clinicId, idOf, ignored, ownId, sentBack, timeOf } from './fields.ts';
import { instant } from './instant.ts';
import { listOf } from './list.ts';
import { type Payload, payload } from './payload.ts';
import type { ResourceLimit } from './resource-limit.ts';
import { type FixedHeaders, KEPT_HEADERS, sentHeaders, shownHeaders } from './subscription-headers.ts';
import { text } from './text.ts';

/** Maximum number of subscriptions of a clinic. */
export const MAX_SUBSCRIPTIONS_PER_CLINIC = 20;
/**
 * Maximum number of subscriptions of a clinic including those that replace others. So each of the 20 can be replaced
 * before any of them is deleted.
 */
export const MAX_WITH_REPLACEMENTS_PER_CLINIC = 2 * MAX_SUBSCRIPTIONS_PER_CLINIC;
/** The number of consecutive failures that disable a subscription (service description, Delivery behaviour 2). */
export const MAX_CONSECUTIVE_FAILURES = 20;
/**
 * Maximum number of attempts in flight for one subscription. The live dispatchers share it, and each may make at least
 * one. After a failure, an attempt begins only while failures in a row and attempts in flight are fewer together.
 */
export const MAX_ATTEMPTS_IN_FLIGHT = 12;
/**
 * From this number of failures in a row on, a subscription is slowed down: its attempts are made one at a time, with a
 * growing pause after each failure. So a receiver that restarts does not lose all of its 20 failures at once.
 */
export const SLOWED_FROM_FAILURES = 5;

/** Whether a subscription is slowed down. See `SLOWED_FROM_FAILURES`. */
export const isSlowed = ({
  active,
  consecutiveFailures,
}: Pick<Receiver, 'active' | 'consecutiveFailures'>): boolean =>
  active && consecutiveFailures >= SLOWED_FROM_FAILURES;
/** The longest URL of a subscription, in characters. */
export const MAX_URL_LENGTH = 2048;

const url = text(MAX_URL_LENGTH).meta({
  description:
    'The URL of the receiver, to which events are sent with POST. It must be an absolute `https` URL without credentials and without a fragment. Its address must not be private. It is stored and returned in normal form: `HTTPS://Example.com:443` becomes `https://example.com/`.',
  examples: ['https://example.com/webhooks'],
});
const EVENTS = {
  description:
    'The events that the subscription receives. A family such as `patient.*` stands for all its events. An empty array stands for all events.',
  examples: [['patient.*', 'appointment.created']],
};
const active = z.boolean({ error: 'must be true or false' }).meta({
  description: 'Whether the subscription is enabled. 20 failures in a row disable it.',
  examples: [true],
});
const events = listOf(eventPatternSchema, 100, 'must be an array of event names')
  .overwrite((entries) => [...new Set(entries)])
  .meta(EVENTS);

/** The states of a subscription. See `stateOf`. */
export const subscriptionStates = [
  'new',
  'healthy',
  'failing',
  'slowed',
  'recovering',
  'disabled',
  'off',
  'replaced',
] as const;
export type SubscriptionState = (typeof subscriptionStates)[number];

/** The facts that decide the state of a subscription. */
type StateFacts = {
  active: boolean;
  consecutiveFailures: number;
  /** The outcome of the last attempt of any kind; undefined if none is stored. */
  last: 'succeeded' | 'failed' | undefined;
  /** Whether events wait although the last attempt succeeded, after failures. */
  isCatchingUp: boolean;
  /** Whether the subscription is to replace another, and has not been switched to. */
  isPending: boolean;
  /** Whether another subscription has replaced this one. */
  isReplaced: boolean;
};

/** The state of a subscription, from its attempts of every kind. */
export const stateOf = ({
  active,
  consecutiveFailures,
  last,
  isCatchingUp,
  isPending,
  isReplaced,
}: StateFacts): SubscriptionState => {
  if (isReplaced) return 'replaced';
  if (isPending) return 'new';
  // An operator who disables a subscription does not change the count.
  if (!active) return consecutiveFailures >= MAX_CONSECUTIVE_FAILURES ? 'disabled' : 'off';
  if (last === 'succeeded') return isCatchingUp ? 'recovering' : 'healthy';
  if (consecutiveFailures >= SLOWED_FROM_FAILURES) return 'slowed';
  return last === 'failed' || consecutiveFailures > 0 ? 'failing' : 'new';
};

/** A subscription as list, get, update and delete return it: without its secret. */
export const subscriptionSchema = z
  .object({
    _id: ownId('01JB000000000000SVBSCR1PT0'),
    clinicId,
    url,
    events: z.array(eventPatternSchema).meta(EVENTS),
    payload,
    headers: shownHeaders,
    active,
    createdTime: timeOf('When the subscription was created.', '2030-01-15T08:00:00.000Z'),
    lastEditTime: timeOf('When an operator last edited the subscription.', '2030-01-15T08:00:00.000Z'),
    state: z.enum(subscriptionStates).meta({
      description:
        'The state, from the attempts of every kind. `new`: no attempt in the last 30 days, or a replacement that has not been switched to. `healthy`: the last attempt succeeded. `failing`: it failed. `slowed`: from 5 failures in a row on, one attempt at a time is made, with pauses. `recovering`: the last attempt succeeded after failures, and events still wait. `disabled`: 20 failures in a row have disabled it. `off`: an operator has disabled it. `replaced`: another subscription gets its events.',
      examples: ['healthy'],
    }),
    withheld: z
      .enum(['host_blocked'])
      .optional()
      .meta({
        description:
          'Why deliveries wait, whatever the state. `host_blocked`: the operator of the service has blocked the host of the URL. Nothing is lost, and waiting counts as no failure.',
        examples: ['host_blocked'],
      }),
    nextAttemptTime: instant
      .optional()
      .describe('While the subscription is slowed down: when the next event is sent at the earliest.'),
    consecutiveFailures: z.int().meta({
      description:
        'The number of failed deliveries since the last success. At 20, the subscription is disabled.',
      examples: [0],
    }),
    disabledTime: instant.optional().describe('When the subscription was disabled or replaced.'),
    disabledReason: z
      .string()
      .optional()
      .describe('Why the subscription was disabled, with the last causes of failure.'),
    replaces: z
      .string()
      .optional()
      .describe('The subscription that this one replaces, or will replace once it is active.'),
    replacedBy: z
      .string()
      .optional()
      .describe('The subscription that gets the events of this one, because it has replaced it.'),
    lastDeliveryTime: timeOf('When the last attempt was made.').optional(),
    lastStatusCode: z
      .int()
      .optional()
      .meta({ description: 'Status code of the response to the last attempt.', examples: [204] }),
  })
  .meta({
    id: 'WebhookSubscription',
    description: 'A subscription to the events of a clinic, without its secret.',
  });
export type Subscription = z.infer<typeof subscriptionSchema>;

/** A subscription as create returns it. Only the response to create contains the secret. */
export const createdSubscriptionSchema = subscriptionSchema
  .extend({
    secret: z.string().meta({
      description:
        'The secret that signs the webhooks of this subscription: `whsec_` and 32 letters and digits. For `X-Service-Signature`, the key is the whole string; for `webhook-signature`, the 24 bytes that the part after `whsec_` decodes to with Base64, as the libraries of Standard Webhooks do. It is shown only once.',
      examples: [`whsec_${'0'.repeat(32)}`],
    }),
  })
  .meta({ id: 'CreatedWebhookSubscription', description: 'A new subscription with its secret.' });

const ordinaryCreateSchema = z
  .strictObject({
    clinicId,
    url,
    events: events.default([]),
    payload: payload.default('full'),
    headers: sentHeaders.default({}),
    active: active.default(true),
  })
  .meta({ id: 'WebhookSubscriptionCreate' });

const replacementCreateSchema = z
  .strictObject({
    replaces: idOf('the subscription that the new one is to replace', '01JB000000000000SVBSCR1PT0'),
    clinicId: clinicId.describe('May be sent, if it is that of the replaced subscription.').optional(),
    url: url.describe('By default, that of the replaced subscription.').optional(),
    events: events.describe('By default, those of the replaced subscription.').optional(),
    payload: payload.describe('By default, that of the replaced subscription.').optional(),
    headers: sentHeaders
      .describe(
        `Fixed headers of each request. By default, those of the replaced subscription, if the URL has the same origin. ${KEPT_HEADERS}`,
      )
      .optional(),
    active: z
      .literal(false, {
        error: 'must be false or absent; enable the replacement when its receiver accepts its secret',
      })
      .describe('A replacement is enabled later, with `PUT`.')
      .optional(),
  })
  .meta({
    id: 'WebhookSubscriptionReplacement',
    description: 'A subscription with a new secret that is to replace another.',
  });

/** The body of POST /api/webhooksubscriptions. */
export const subscriptionCreateSchema = z.union([ordinaryCreateSchema, replacementCreateSchema]);

export type SubscriptionCreate = z.infer<typeof ordinaryCreateSchema>;
export type SubscriptionReplacement = z.infer<typeof replacementCreateSchema>;

/**
 * The body of PUT /api/webhooksubscriptions/{id}. `_id` must equal the path; the other fields that the server sets are
 * ignored.
 */
export const subscriptionUpdateSchema = z
  .strictObject({
    _id: sentBack._id,
    clinicId: clinicId.describe('Cannot be changed. It may be sent back with its present value.').optional(),
    url: url.optional(),
    events: events.optional(),
    payload: payload.optional(),
    headers: sentHeaders.describe(`Fixed headers of each request. ${KEPT_HEADERS}`).optional(),
    active: active.optional(),
    createdTime: ignored,
    lastEditTime: ignored,
    state: ignored,
    withheld: ignored,
    nextAttemptTime: ignored,
    consecutiveFailures: ignored,
    disabledTime: ignored,
    disabledReason: ignored,
    lastDeliveryTime: ignored,
    lastStatusCode: ignored,
    replaces: ignored,
    replacedBy: ignored,
  })
  .meta({ id: 'WebhookSubscriptionUpdate' });
export type SubscriptionUpdate = z.infer<typeof subscriptionUpdateSchema>;

/** A subscription with the fields that the dispatcher needs. */
export type Receiver = {
  _id: string;
  organizationId: string;
  clinicId: string;
  url: string;
  payload: Payload;
  /** With their values. */
  headers: FixedHeaders;
  active: boolean;
  /**
   * Starts at 1, and increases when an operator enables the disabled subscription. Failures of attempts that began
   * before the last increase do not count.
   */
  activation: number;
  /** The number of failed deliveries of kind `event` since the last success. */
  consecutiveFailures: number;
  /** Whether the administrators were told of trouble, and no event was accepted since. */
  isInTrouble: boolean;
  secret: string;
};

export const subscriptionLimits: readonly ResourceLimit[] = [
  {
    id: 'subscriptions',
    part: 'Webhooks',
    resource: 'Subscriptions of one clinic',
    value: MAX_SUBSCRIPTIONS_PER_CLINIC,
    unit: 'subscriptions',
    beyond: '400 ValidationError',
    metric: 'chairside_api_refusals_total',
  },
  {
    id: 'subscriptions_with_replacements',
    part: 'Webhooks',
    resource: 'Subscriptions of one clinic, while some replace others',
    value: MAX_WITH_REPLACEMENTS_PER_CLINIC,
    unit: 'subscriptions',
    beyond: '400 ValidationError',
    metric: 'chairside_api_refusals_total',
  },
  {
    id: 'attempts_of_subscription',
    part: 'Webhooks',
    resource: 'Attempts in flight for one subscription',
    value: MAX_ATTEMPTS_IN_FLIGHT,
    unit: 'in all dispatchers together, and at least one in each',
    beyond: 'the delivery waits',
    metric: 'chairside_deliveries_queued',
  },
  {
    id: 'attempts_of_slowed',
    part: 'Webhooks',
    resource: `Attempts in flight for one subscription after ${SLOWED_FROM_FAILURES} failures in a row`,
    value: 1,
    unit: 'in all dispatchers together',
    beyond: 'the delivery waits',
    metric: 'chairside_subscriptions_slowed_total',
  },
  {
    id: 'failures',
    part: 'Webhooks',
    resource: 'Failures in a row of one subscription',
    value: MAX_CONSECUTIVE_FAILURES,
    unit: 'deliveries',
    beyond: 'the subscription is disabled',
    metric: 'chairside_subscriptions_disabled_total',
  },
];
