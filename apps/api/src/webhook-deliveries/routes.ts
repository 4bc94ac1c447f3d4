import {
  type Delivery,
  deliveryOutcomes,
  deliverySchema,
  eventNameSchema,
  notFound,
} from '@chairside/domain';
import { z } from 'zod';
import type { App, Dependencies } from '../context.ts';
import { pathId } from '../http/path-id.ts';
import { serializerOf } from '../http/serialization.ts';
import { timePagesOf } from '../lists/pages.ts';
import { pageQuery, timeFilter, timeRange } from '../lists/query.ts';

const config = { access: { role: 'administrator' } } as const;
const tags = ['Webhook deliveries'];
const params = pathId('webhookDeliveryId');
const response = { 200: deliverySchema };
const querystring = z.strictObject({
  outcome: z
    .enum(deliveryOutcomes, { error: `must be one of ${deliveryOutcomes.join(', ')}` })
    .optional()
    .meta({ description: 'Only deliveries with this outcome.', examples: ['failed'] }),
  event: eventNameSchema
    .optional()
    .meta({ description: 'Only deliveries of this event.', examples: ['patient.updated'] }),
  since: timeFilter('Only deliveries that were created at this time or later.'),
  until: timeFilter('Only deliveries that were created at this time or earlier.'),
  ...pageQuery,
});

export const webhookDeliveryRoutes = (app: App, { store }: Pick<Dependencies, 'store'>): void => {
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
        description: 'Returns deliveries in pages, the newest first.',
        params: pathId('webhookSubscriptionId'),
        querystring,
        response: { 200: z.array(deliverySchema) },
      },
    },
    async (request, reply) => {
      const { subscriptions, deliveries } = request.store;
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
        description: 'Returns a delivery with its timings and the beginning of the response.',
        params,
        response,
      },
    },
    async (request) => {
      const found = await request.store.deliveries.find(request.params.webhookDeliveryId);
      if (found === undefined) throw notFound();
      return found;
    },
  );
};
