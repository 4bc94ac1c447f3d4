import { deliverySchema, notFound } from '@chairside/domain';
import { z } from 'zod';
import { auditDeliveryRead } from '../audit/record-reads.ts';
import type { App, Dependencies } from '../context.ts';
import { pathId } from '../http/path-id.ts';
import { examinedWith } from '../lists/query.ts';
import { allDeliveriesQuery, createListing, deliveryQuery } from './listing.ts';

const config = { access: { role: 'administrator', program: 'webhooks' } } as const;
const tags = ['Webhook deliveries'];
const params = pathId('webhookDeliveryId');
const response = { 200: deliverySchema };
const examined = examinedWith(
  '`clinicId`, `outcome`, `cause`, `event` or `statusClass`, or with a `requestId` of an import,',
);

export const webhookDeliveryRoutes = (app: App, { store }: Pick<Dependencies, 'store'>): void => {
  const listing = createListing(store.secrets);

  app.get(
    '/api/webhooksubscriptions/:webhookSubscriptionId/deliveries',
    {
      config,
      schema: {
        tags,
        operationId: 'listWebhookDeliveries',
        summary: 'List deliveries of a subscription',
        description: `Returns the deliveries of the last 30 days in pages, the newest first. ${examined}`,
        params: pathId('webhookSubscriptionId'),
        querystring: deliveryQuery,
        response: { 200: z.array(deliverySchema) },
      },
    },
    async (request, reply) => {
      const { webhookSubscriptionId } = request.params;
      if ((await request.store.subscriptions.find(webhookSubscriptionId)) === undefined) throw notFound();
      return listing.ofSubscription(request, reply, webhookSubscriptionId, request.query);
    },
  );

  app.get(
    '/api/webhookdeliveries',
    {
      config,
      schema: {
        tags,
        operationId: 'listAllWebhookDeliveries',
        summary: 'List deliveries of all subscriptions',
        description: `Returns the deliveries of the organization in pages, the newest first, including those of deleted subscriptions. Without \`since\`, the list has the last 24 hours. ${examined}`,
        querystring: allDeliveriesQuery,
        response: { 200: z.array(deliverySchema) },
      },
    },
    async (request, reply) => listing.all(request, reply, request.query),
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
      const { deliveries } = request.store;
      const found = await deliveries.find(request.params.webhookDeliveryId);
      if (found === undefined) throw notFound();
      const redeliveries = deliveries.laterRedeliveries(found);
      const [later] = await Promise.all([redeliveries, auditDeliveryRead(request, found._id)]);
      return { ...found, redeliveries: later };
    },
  );
};
