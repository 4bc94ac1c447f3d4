import {
  type Delivery,
  deliveryOutcomes,
  deliverySchema,
  eventNameSchema,
  notFound,
  Refusal,
} from '@chairside/domain';
import { z } from 'zod';
import type { App, Dependencies } from '../context.ts';
import { pathId } from '../http/path-id.ts';
import { serializerOf } from '../http/serialization.ts';
import { pageQuery } from '../lists/cursors.ts';
import { timePagesOf } from '../lists/pages.ts';
import { timeFilter, timeRange } from '../lists/query.ts';
import { once } from '../records/idempotency.ts';
import { QUEUED } from './queued-example.ts';
import { countSending } from './sending-limits.ts';

const config = { access: { role: 'administrator' } } as const;
const tags = ['Webhook deliveries'];
const params = pathId('webhookDeliveryId');
const response = { 200: deliverySchema };
const querystring = z.strictObject({
  outcome: z
    .enum(deliveryOutcomes, { error: `must be one of ${deliveryOutcomes.join(', ')}` })
    .optional()
    .meta({ description: 'Only those with this outcome.', examples: ['failed'] }),
  event: eventNameSchema
    .optional()
    .meta({ description: 'Only those of this event.', examples: ['patient.updated'] }),
  since: timeFilter('Only those made at this time or later.'),
  until: timeFilter('Only those made until this time.'),
  ...pageQuery,
});

const FINAL: readonly Delivery['outcome'][] = ['succeeded', 'failed', 'skipped', 'interrupted'];

const conflict = (message: string): Refusal => new Refusal('Conflict', message);

export const webhookDeliveryRoutes = (app: App, { store, limiter }: Dependencies): void => {
  const count = countSending(limiter);
  const sendPage = timePagesOf(store.secrets);
  const stringify = serializerOf(deliverySchema);

  app.get(
    '/api/webhooksubscriptions/:webhookSubscriptionId/deliveries',
    {
      config,
      schema: {
        tags,
        operationId: 'listWebhookDeliveries',
        summary: 'List deliveries of a subscription',
        description: 'The newest first, in pages.',
        params: pathId('webhookSubscriptionId'),
        querystring,
        response: { 200: z.array(deliverySchema) },
      },
    },
    async (request, reply) => {
      const { subscriptions, deliveries } = store.organization(request.principal.organizationId);
      const { webhookSubscriptionId } = request.params;
      if ((await subscriptions.find(webhookSubscriptionId)) === undefined) throw notFound();
      const { outcome, event, since, until } = request.query;
      const filter = { outcome, event, ...timeRange(since, until) };
      return sendPage<Delivery>(reply, {
        list: `deliveries of ${webhookSubscriptionId}`,
        request,
        limit: request.query.limit,
        cursor: request.query.cursor,
        filter,
        read: (before, limit) => deliveries.page(webhookSubscriptionId, filter, before, limit),
        timeOf: ({ createdTime }) => createdTime,
        stringify,
      });
    },
  );

  app.get(
    '/api/webhookdeliveries/:webhookDeliveryId',
    {
      config,
      schema: {
        tags,
        operationId: 'getWebhookDelivery',
        summary: 'Get one delivery',
        description: 'With its timings and the beginning of the answer.',
        params,
        response,
      },
    },
    async (request) => {
      const found = await store
        .organization(request.principal.organizationId)
        .deliveries.find(request.params.webhookDeliveryId);
      if (found === undefined) throw notFound();
      return found;
    },
  );

  app.post(
    '/api/webhookdeliveries/:webhookDeliveryId/redeliver',
    {
      config: { ...config, idempotent: true },
      schema: {
        tags,
        operationId: 'redeliverWebhook',
        example: {
          ...QUEUED,
          _id: '01JB00000000000REDEL1VERED',
          kind: 'redelivery',
          redeliveryOf: '01JB000000000000000EVENT10-01JB000000000000SVBSCR1PT0',
        },
        summary: 'Send a delivery again',
        description:
          'Makes a Delivery of kind `redelivery` with the same bytes, also while the subscription is disabled. 409 when it has not ended, or its event is gone. A subscription takes 600 in each minute.',
        refusals: [409],
        params,
        response,
      },
    },
    async (request, reply) => {
      const organization = store.organization(request.principal.organizationId);
      const { deliveries } = organization;
      const found = await deliveries.find(request.params.webhookDeliveryId);
      if (found === undefined) throw notFound();
      if (!FINAL.includes(found.outcome)) {
        throw conflict('This Delivery has not ended yet. Wait for its outcome first.');
      }
      return once(
        { request, reply, store: organization },
        async ({ recordId }) => {
          await count('redelivery', found.subscriptionId);
          const made = await deliveries.redeliver(recordId, found, new Date());
          if (made === 'event_gone') {
            throw conflict('The event of this Delivery is gone: there is nothing left to send.');
          }
          return made;
        },
        ({ recordId }) => deliveries.find(recordId),
      );
    },
  );
};
