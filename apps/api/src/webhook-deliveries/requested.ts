import {
  type Delivery,
  deliverySchema,
  notFound,
  Refusal,
  redeliveryRequestSchema,
  redeliverySchema,
  validationError,
} from '@chairside/domain';
import type { App, Dependencies } from '../context.ts';
import { pathId } from '../http/path-id.ts';
import { once } from '../records/idempotency.ts';
import { QUEUED } from './queued-example.ts';
import { countSending } from './sending-limits.ts';

const config = { access: { role: 'administrator' } } as const;
const tags = ['Webhook subscriptions'];
const params = pathId('webhookSubscriptionId');
const one = '/api/webhooksubscriptions/:webhookSubscriptionId';

const FINAL: readonly Delivery['outcome'][] = ['succeeded', 'failed', 'skipped', 'interrupted'];

const conflict = (message: string): Refusal => new Refusal('Conflict', message);

type Count = ReturnType<typeof countSending>;

const redeliveryRoute = (app: App, count: Count): void => {
  app.post(
    '/api/webhookdeliveries/:webhookDeliveryId/redeliver',
    {
      config: { ...config, idempotent: true },
      schema: {
        tags: ['Webhook deliveries'],
        operationId: 'redeliverWebhook',
        example: {
          ...QUEUED,
          _id: '01JB00000000000REDEL1VERED',
          kind: 'redelivery',
          redeliveryOf: '01JB000000000000000EVENT10-01JB000000000000SVBSCR1PT0',
        },
        summary: 'Redeliver a delivery',
        description:
          'Sends the same bytes again, as a new delivery of kind `redelivery`. This also works while the subscription is disabled. Returns 409 if the delivery has not ended or its event has expired. The limit is 600 a minute for a subscription.',
        refusals: [409],
        params: pathId('webhookDeliveryId'),
        response: { 200: deliverySchema },
      },
    },
    async (request, reply) => {
      const { deliveries } = request.store;
      const found = await deliveries.find(request.params.webhookDeliveryId);
      if (found === undefined) throw notFound();
      if (!FINAL.includes(found.outcome)) {
        throw conflict('This delivery has not ended yet. Wait for its outcome, then try again.');
      }
      return once(
        { request, reply },
        async ({ recordId }) => {
          await count('redelivery', found.subscriptionId);
          const made = await deliveries.redeliver(recordId, found, new Date());
          if (made === 'event_gone') {
            throw conflict(
              'The event of this delivery has expired, so it cannot be redelivered. Read the current record instead.',
            );
          }
          return made;
        },
        ({ recordId }) => deliveries.find(recordId),
      );
    },
  );
};

const bulkRedeliveryRoutes = (app: App, count: Count): void => {
  app.post(
    `${one}/redeliver`,
    {
      config: { ...config, idempotent: true },
      schema: {
        tags,
        operationId: 'redeliverWebhooks',
        example: { state: 'running', made: 0, finalTime: undefined },
        summary: 'Redeliver missed deliveries',
        description:
          'Starts a bulk redelivery, which redelivers the deliveries of a period in the background. To read its progress, get `redeliveries/{_id}` of the subscription. The limit is 10 an hour for a subscription.',
        params,
        body: redeliveryRequestSchema,
        response: { 200: redeliverySchema },
      },
    },
    async (request, reply) => {
      const { subscriptions, deliveries } = request.store;
      const { since, until } = request.body;
      if (until !== undefined && until <= since) {
        throw validationError([{ path: 'until', message: 'must be later than since' }]);
      }
      const found = await subscriptions.find(request.params.webhookSubscriptionId);
      if (found === undefined) throw notFound();
      return once(
        { request, reply },
        async ({ recordId }) => {
          await count('redeliveries', found._id);
          return deliveries.redeliverMany(recordId, found._id, request.body, new Date());
        },
        ({ recordId }) => deliveries.findRedelivery(found._id, recordId),
      );
    },
  );

  app.get(
    `${one}/redeliveries/:redeliveryId`,
    {
      config,
      schema: {
        tags,
        operationId: 'getWebhookRedelivery',
        summary: 'Get the progress of a bulk redelivery',
        description:
          'Returns how many deliveries have been created, and whether the bulk redelivery has finished.',
        params: params.extend(pathId('redeliveryId').shape),
        response: { 200: redeliverySchema },
      },
    },
    async (request) => {
      const { webhookSubscriptionId, redeliveryId } = request.params;
      const found = await request.store.deliveries.findRedelivery(webhookSubscriptionId, redeliveryId);
      if (found === undefined) throw notFound();
      return found;
    },
  );
};

const testRoute = (app: App, count: Count): void => {
  app.post(
    `${one}/test`,
    {
      config,
      schema: {
        tags,
        operationId: 'testWebhookSubscription',
        example: { ...QUEUED, kind: 'test', event: 'test.ping' },
        summary: 'Send a test',
        description:
          'Sends a signed `test.ping`, in the same way as an event. Its outcome does not change the number of failures of the subscription. The limit is 30 a minute for a subscription.',
        params,
        response: { 200: deliverySchema },
      },
    },
    async (request) => {
      const { subscriptions, deliveries } = request.store;
      const found = await subscriptions.find(request.params.webhookSubscriptionId);
      if (found === undefined) throw notFound();
      await count('test', found._id);
      return deliveries.test(found, new Date());
    },
  );
};

/** Registers the routes of deliveries that an administrator requests: redeliveries, bulk redeliveries and tests. */
export const requestedDeliveryRoutes = (app: App, { limiter }: Pick<Dependencies, 'limiter'>): void => {
  const count = countSending(limiter);
  redeliveryRoute(app, count);
  bulkRedeliveryRoutes(app, count);
  testRoute(app, count);
};
