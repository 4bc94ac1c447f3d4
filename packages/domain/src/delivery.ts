import { z } from 'zod';
import { eventNames, TEST_EVENT } from './event.ts';
import { clinicId, idOf, ownId, timeOf } from './fields.ts';
import { listOf } from './list.ts';
import { type Payload, payload } from './payload.ts';
import type { ResourceLimit } from './resource-limit.ts';

/** Why a delivery failed. `configuration` means that nothing was sent, because the stored subscription is unusable. */
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

/** The causes in words, for a list of causes. */
export const causesInWords: Readonly<Record<FailureCause, string>> = {
  dns: 'the host name could not be looked up',
  connect: 'the connection was not opened',
  tls: 'the TLS handshake failed',
  timeout: 'no response came in time',
  reset: 'the connection was closed without a response',
  status: 'the receiver responded with an error status',
  redirect: 'the receiver responded with a redirect',
  blocked_address: 'the address is blocked',
  protocol: 'the response was not valid HTTP',
  configuration: 'the stored URL, secret or headers cannot be used',
};

/**
 * The kinds of deliveries. `event` is the regular delivery of an event. An operator requests the other kinds, and their
 * failures do not count towards disabling the subscription.
 */
export const deliveryKinds = ['event', 'redelivery', 'test'] as const;
export type DeliveryKind = (typeof deliveryKinds)[number];

/** The states of a delivery. The last four are final. */
export const deliveryOutcomes = [
  'queued',
  'sending',
  'succeeded',
  'failed',
  'skipped',
  'interrupted',
] as const;
export type DeliveryOutcome = (typeof deliveryOutcomes)[number];

/** Whether a delivery has ended. */
export const isFinalOutcome = (outcome: DeliveryOutcome): boolean =>
  outcome !== 'queued' && outcome !== 'sending';

/**
 * The duration of each phase of an attempt, in milliseconds. A phase that did not happen is absent; on a reused socket,
 * only `firstByte` is present. The phase in which the attempt failed is present, up to the failure.
 */
export type Timings = { lookup?: number; connect?: number; tls?: number; firstByte?: number };

/** The number of bytes at the beginning of a response body that are stored as text. */
export const MAX_RESPONSE_BODY_BYTES = 4096;

/**
 * The beginning of a response body as text that is safe to display: invalid bytes become U+FFFD, each run of white
 * space becomes a single space, and control characters are removed.
 */
export const responseText = (body: Uint8Array): string =>
  new TextDecoder()
    // In stream mode, the decoder omits a character that `subarray` has cut off in the middle.
    .decode(body.subarray(0, MAX_RESPONSE_BODY_BYTES), { stream: true })
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim();

/** The headers of a response that are stored. `location` is reduced to origin and path, `www-authenticate` to its scheme. */
export const keptHeaders = [
  'content-type',
  'content-length',
  'date',
  'retry-after',
  'server',
  'location',
  'www-authenticate',
] as const;
/** The longest stored value of a header, in characters. */
export const MAX_HEADER_LENGTH = 256;
export type ResponseHeaders = Partial<Record<(typeof keptHeaders)[number], string>>;

/** The result of one attempt, as the process that made it observed it. */
export type Attempt = {
  attemptTime: Date;
  /** Milliseconds from the start of the attempt to the status line or the failure. */
  duration: number;
  timings: Timings;
  statusCode?: number;
  /**
   * The address of the connection, or of the last connection attempt. Absent if there was no connection attempt, or if
   * the address is blocked.
   */
  address?: string;
  /** The beginning of the response body. Administrators can read it in the delivery. It is not logged. */
  responseBody?: string;
  /** Whether the response has more than `responseBody`, or its rest was not read. */
  responseBodyTruncated?: true;
  /** The kept headers of the response. They are not logged. */
  responseHeaders?: ResponseHeaders;
  /** The URL to which the request was sent. It is not logged. Absent if the stored URL cannot be used. */
  url?: string;
  /** What `data` of the sent body had. Absent if no request could be built. */
  payload?: Payload;
} & ({ outcome: 'succeeded' } | { outcome: 'failed'; cause: FailureCause; reason: string; code?: string });

/**
 * The reason of a delivery whose receiver responded with a redirect.
 *
 * @param target the kept header `location`. The API names it; logs and the stored reason do not, because it comes from the
 *   receiver.
 */
export const reasonOfRedirect = (statusCode: number | undefined, target?: string): string =>
  target === undefined
    ? `The receiver responded with status ${statusCode}. Redirects are not followed.`
    : `The receiver responded with status ${statusCode}, a redirect to ${target}. Redirects are not followed.`;

/** The classes of status codes by which deliveries can be filtered. */
export const statusClasses = ['2xx', '3xx', '4xx', '5xx'] as const;

/** Why a delivery was not attempted. */
export const skipReasons = [
  'subscription_disabled',
  'subscription_gone',
  'event_gone',
  'event_unreadable',
  'outbound_off',
] as const;
export type SkipReason = (typeof skipReasons)[number];

/**
 * The id of a delivery of this event. The second part of a delivery of kind `event` is the id of the first subscription of
 * its chain of replacements, so that a second insert of the delivery fails with a duplicate key, also if another
 * subscription of the chain gets the events now. A redelivery has an id of its own there, a test that of its subscription.
 */
export const deliveryId = (eventId: string, part: string): string => `${eventId}-${part}`;

/** The ids between which all deliveries of these events are. The id of every delivery begins with that of its event. */
export const deliveryIdsOf = (eventIds: readonly string[]): { after: string; before: string } => {
  const sorted = eventIds.toSorted();
  // A full stop is the next character after a hyphen.
  return { after: `${sorted.at(0)}-`, before: `${sorted.at(-1)}.` };
};

const longId = (description: string) =>
  z.string().meta({ description, examples: ['01JB000000000000000EVENT10-01JB000000000000SVBSCR1PT0'] });
const milliseconds = z.number().meta({ examples: [12.5] });
const subscriptionId = idOf('the subscription', '01JB000000000000SVBSCR1PT0');
const OUTCOMES = {
  description: 'Outcome of the deliveries.',
  examples: [['failed', 'interrupted', 'skipped']],
};
const since = timeOf('Deliveries created at this time or later.');
const until = timeOf('Deliveries created before this time. Default: now.', '2030-02-01T00:00:00.000Z');
const unrepaired = z
  .boolean()
  .optional()
  .meta({
    description:
      'With `true`, leaves out deliveries that succeeded, and those of which a later redelivery has succeeded.',
    examples: [true],
  });

/** Maximum number of later redeliveries that a delivery names. */
export const MAX_SHOWN_REDELIVERIES = 20;

/** A sentence about fields that lists leave out. */
const NOT_LISTED = 'Only in the response to a request for one delivery.';

/** A delivery as the API returns it. */
export const deliverySchema = z
  .object({
    _id: longId('Identifier, the same as the header `X-Service-Delivery-Id`.'),
    subscriptionId,
    clinicId,
    eventId: idOf('the event', '01JB000000000000000EVENT10'),
    event: z
      .enum([...eventNames, TEST_EVENT])
      .meta({ description: 'Name of the event.', examples: ['patient.created'] }),
    requestId: z
      .string()
      .optional()
      .describe(
        'The id of the request that wrote the record, as in `X-Request-Id`. Absent for tests and redeliveries.',
      ),
    kind: z.enum(deliveryKinds).meta({
      description:
        '`event`: the regular delivery of an event. `redelivery` and `test`: requested by an operator; their failures do not count towards the 20 that disable the subscription.',
      examples: ['event'],
    }),
    outcome: z.enum(deliveryOutcomes).meta({
      description:
        'The outcome. `queued` and `sending` are not final. `interrupted`: it is unknown whether the event arrived.',
      examples: ['failed'],
    }),
    cause: z
      .enum([...failureCauses, ...skipReasons])
      .optional()
      .meta({
        description:
          'The cause of the outcome `failed` or `skipped`. `configuration`: nothing was sent, because the stored URL, secret or headers of the subscription cannot be used; `reason` names which of them.',
        examples: ['status'],
      }),
    reason: z
      .string()
      .optional()
      .meta({
        description: 'The cause as a sentence for people. The wording may change.',
        examples: ['The receiver responded with status 500.'],
      }),
    // No example is given here. The example of a delivery is composed of the examples of its fields. It shows a
    // delivery with a response status, which has no `code`.
    code: z
      .string()
      .optional()
      .describe(
        'The code of the error behind `dns`, `connect`, `tls`, `reset` or `protocol`, as Node.js or OpenSSL reports it, for example `ECONNREFUSED` or `CERT_HAS_EXPIRED`.',
      ),
    statusCode: z
      .int()
      .optional()
      .meta({ description: "Status code of the receiver's response.", examples: [500] }),
    address: z
      .string()
      .optional()
      .meta({
        description:
          'The IP address that the service connected to, or tried last. Absent if the attempt ended before a connection was tried, and for the cause `blocked_address`.',
        examples: ['203.0.113.10'],
      }),
    duration: milliseconds
      .describe('Milliseconds from the start of the attempt to the status line or the failure.')
      .optional(),
    timings: z
      .object({
        lookup: milliseconds.describe('Name lookup.').optional(),
        connect: milliseconds.describe('TCP connection.').optional(),
        tls: milliseconds.describe('TLS handshake.').optional(),
        firstByte: milliseconds
          .describe('Time from the open connection to the status line, or to the failure.')
          .optional(),
      })
      .optional()
      .describe(
        'Duration of each phase of the attempt, in milliseconds. A phase that did not take place is absent.',
      ),
    responseBody: z
      .string()
      .optional()
      .meta({
        description: `The beginning of the response body, at most ${MAX_RESPONSE_BODY_BYTES} bytes. If the subscription has fixed headers, which the response may repeat, only a code such as \`mismatch\`. ${NOT_LISTED}`,
      }),
    responseBodyTruncated: z
      .literal(true)
      .optional()
      .describe(
        `Present if \`responseBody\` is not the whole body: it is longer, the receiver took more than a second to send it, or the connection broke. ${NOT_LISTED}`,
      ),
    responseHeaders: z
      .object(
        Object.fromEntries(keptHeaders.map((name) => [name, z.string().optional()])) as Record<
          (typeof keptHeaders)[number],
          z.ZodOptional<z.ZodString>
        >,
      )
      .optional()
      .meta({
        description: `Headers of the response, each up to ${MAX_HEADER_LENGTH} characters. Of \`location\`, origin and path are kept, with \`?…\` instead of a query or fragment; of \`www-authenticate\`, the scheme. Absent if no response came, or if the subscription has fixed headers. ${NOT_LISTED}`,
        examples: [{ 'content-type': 'text/plain', 'content-length': '5' }],
      }),
    url: z
      .string()
      .optional()
      .meta({
        description: 'The URL to which the event was sent. Absent if there was no attempt.',
        examples: ['https://example.com/webhooks'],
      }),
    payload: payload
      .optional()
      .describe(
        'What `data` of the sent body had: `full` or `ids`, as the subscription said when the attempt began. Absent if there was no attempt, or if its outcome is unknown (`interrupted`).',
      ),
    worker: z.string().optional().describe('The process that made the attempt.'),
    redeliveryOf: z.string().optional().describe('The `_id` of the delivery that this redelivery repeats.'),
    redeliveries: z
      .array(
        z.object({
          _id: longId('The redelivery.'),
          outcome: z.enum(deliveryOutcomes).meta({ description: 'Its outcome.', examples: ['succeeded'] }),
          createdTime: timeOf('When it was created.'),
        }),
      )
      .optional()
      .meta({
        description: `The later redeliveries of the same event to the same subscription, the newest first, at most ${MAX_SHOWN_REDELIVERIES}. ${NOT_LISTED}`,
      }),
    createdTime: timeOf('When the delivery was created.'),
    attemptTime: timeOf('When the attempt began.').optional(),
    finalTime: timeOf('When the delivery became final.').optional(),
  })
  .meta({ id: 'WebhookDelivery', description: 'One event for one subscription, with at most one attempt.' });
export type Delivery = z.infer<typeof deliverySchema>;

/** The outcomes of deliveries that can be redelivered. */
export const redeliverableOutcomes = ['failed', 'interrupted', 'skipped', 'succeeded'] as const;

/**
 * Maximum number of entries of `outcomes` in a request. Duplicates are allowed, so this exceeds the number of outcomes.
 */
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
    unrepaired,
  })
  .meta({ id: 'WebhookRedeliveryCreate' });
export type RedeliveryRequest = z.infer<typeof redeliveryRequestSchema>;

/** The progress of a bulk redelivery. */
export const redeliverySchema = z
  .object({
    _id: ownId('01JB00000000000REDEL1VERY0'),
    subscriptionId,
    since,
    until,
    outcomes: z.array(z.enum(redeliverableOutcomes)).meta(OUTCOMES),
    unrepaired,
    state: z.enum(['running', 'done', 'stopped']).meta({
      description:
        '`running` until all selected deliveries of the period have been redelivered, then `done`. `stopped` if an administrator has stopped it.',
      examples: ['done'],
    }),
    made: z.int().meta({ description: 'The number of deliveries created so far.', examples: [12] }),
    waiting: z
      .int()
      .meta({ description: 'Of the deliveries created so far, those that are not final.', examples: [0] }),
    succeeded: z
      .int()
      .meta({ description: 'Of the deliveries created so far, those that succeeded.', examples: [12] }),
    failed: z.int().meta({
      description: 'Of the deliveries created so far, those that failed, were interrupted or were skipped.',
      examples: [0],
    }),
    gone: z.int().meta({
      description:
        'The number of deliveries that cannot be redelivered, because their event is no longer stored.',
      examples: [0],
    }),
    createdTime: timeOf('When the redelivery was requested.'),
    finalTime: timeOf('When the redelivery was done or stopped.', '2030-01-31T09:30:02.000Z').optional(),
  })
  .meta({
    id: 'WebhookRedelivery',
    description: 'The progress of a bulk redelivery.',
  });
export type Redelivery = z.infer<typeof redeliverySchema>;

export const deliveryLimits: readonly ResourceLimit[] = [
  {
    id: 'response_body',
    part: 'Webhooks',
    resource: "Stored part of a receiver's response",
    value: MAX_RESPONSE_BODY_BYTES / 1024,
    unit: 'KiB',
    beyond: 'the rest is not stored',
  },
  {
    id: 'response_header',
    part: 'Webhooks',
    resource: "Stored part of a header of a receiver's response",
    value: MAX_HEADER_LENGTH,
    unit: 'characters',
    beyond: 'the rest is not stored',
  },
  {
    id: 'shown_redeliveries',
    part: 'Webhooks',
    resource: 'Later redeliveries that a delivery names',
    value: MAX_SHOWN_REDELIVERIES,
    unit: 'redeliveries',
    beyond: 'the newest are named',
  },
];
