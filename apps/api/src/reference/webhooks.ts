import { eventNames, TEST_EVENT, webhookBodySchema } from '@chairside/domain';
import type { JsonSchema, Schemas } from './schemas.ts';

const WHAT: Readonly<Record<string, string>> = {
  created: 'was created',
  updated: 'was changed',
  deleted: 'was deleted; `data` is its last version',
  paid: 'was paid',
  voided: 'was voided',
  refunded: 'was refunded',
};

/** The status that a record has after an event, if the event is about this status. */
const STATUS: Readonly<Record<string, string>> = {
  'invoice.paid': 'PAID',
  'invoice.voided': 'VOID',
  'payment.refunded': 'REFUNDED',
};

const signedHeaders: Readonly<Record<string, { description: string; example: string }>> = {
  'X-Service-Event': { description: 'The same as `event` in the body.', example: 'patient.created' },
  'X-Service-Event-Id': {
    description: 'The same as `id` in the body. The header is not signed, the body is.',
    example: '01JB000000000000000EVENT10',
  },
  'X-Service-Delivery-Id': {
    description: 'The id of the delivery. Quote it when you report a problem.',
    example: '01JB000000000000000EVENT10-01JB000000000000SVBSCR1PT0',
  },
  'X-Service-Subscription-Id': {
    description: 'The id of the subscription. Choose the secret by it, if several subscriptions share a URL.',
    example: '01JB000000000000SVBSCR1PT0',
  },
  'X-Service-Signature': {
    description:
      '`t=<Unix seconds>,v1=<hex>`: HMAC-SHA256 over `<t>.<raw body>`. The key is the whole secret of the subscription.',
    example: `t=1896082201,v1=${'0'.repeat(64)}`,
  },
  'webhook-id': { description: 'The same as `X-Service-Event-Id`.', example: '01JB000000000000000EVENT10' },
  'webhook-timestamp': { description: 'The same as `t` of `X-Service-Signature`.', example: '1896082201' },
  'webhook-signature': {
    description:
      '`v1,<base64>`: HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<raw body>` (Standard Webhooks). The key is the 24 bytes that the secret has after `whsec_`.',
    example: `v1,${'0'.repeat(43)}=`,
  },
};

/** The headers of a webhook, as components of the document. */
export const webhookParameters = (): JsonSchema =>
  Object.fromEntries(
    Object.entries(signedHeaders).map(([name, rest]) => [
      name,
      { name, in: 'header', required: true, schema: { type: 'string' }, ...rest },
    ]),
  );

const webhookOf = (schemas: Schemas, event: (typeof eventNames)[number] | typeof TEST_EVENT): JsonSchema => {
  const [noun = '', verb = ''] = event.split('.');
  const schema = schemas.convert(webhookBodySchema(event), 'output');
  const name = noun.charAt(0).toUpperCase() + noun.slice(1);
  const example = schemas.exampleOf(schema) as { data: object };
  const status = STATUS[event];
  const data = { ...example.data, ...(status !== undefined && { status }) };
  return {
    post: {
      operationId: event,
      summary: event,
      description:
        event === TEST_EVENT
          ? 'A test that an administrator requested.'
          : `${name} ${WHAT[verb]}. Sent once, in no particular order. If an administrator requests a redelivery, the same event is sent again. If the subscription has the payload \`ids\`, \`data\` has only the ids of the record and \`lastEditTime\`.`,
      tags: ['Webhooks'],
      security: [],
      parameters: Object.keys(signedHeaders).map((header) => ({ $ref: `#/components/parameters/${header}` })),
      requestBody: {
        required: true,
        content: { 'application/json': { schema, example: { ...example, data } } },
      },
      responses: {
        '2XX': { description: 'Received. Respond within 5 s and process the event afterwards.' },
        '4XX': {
          description:
            'Every other status, including redirects, is a failure. A failed webhook is not sent again.',
        },
      },
    },
  };
};

/** The webhooks that the service sends, as part of the document. */
export const webhooksOf = (schemas: Schemas): JsonSchema =>
  Object.fromEntries(
    ([...eventNames, TEST_EVENT] as const).map((event) => [event, webhookOf(schemas, event)]),
  );
