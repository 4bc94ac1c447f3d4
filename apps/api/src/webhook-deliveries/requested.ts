import {
  deliverySchema,
  notFound,
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

/** What an operator can have sent to a subscription besides its events: what it missed, and a test. */
export const redeliveryRoutes = (
  app: App,
  { store, limiter }: Pick<Dependencies, 'store' | 'limiter'>,
): void => {
  const count = countSending(limiter);

  app.post(
    `${one}/redeliver`,
    {
      config: { ...config, idempotent: true },
      schema: {
        tags,
        operationId: 'redeliverWebhooks',
        example: { state: 'running', made: 0, finalTime: undefined },
        summary: 'Send missed deliveries again',
        description: 'In the background, with progress to read. A subscription takes 10 in each hour.',
        params,
        body: redeliveryRequestSchema,
        response: { 200: redeliverySchema },
      },
    },
    async (request, reply) => {
      const organization = store.organization(request.principal.organizationId);
      const { subscriptions, deliveries } = organization;
      const { since, until } = request.body;
      if (until !== undefined && until <= since) {
        throw validationError([{ path: 'until', message: 'must be later than since' }]);
      }
      const found = await subscriptions.find(request.params.webhookSubscriptionId);
      if (found === undefined) throw notFound();
      return once(
        { request, reply, store: organization },
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
        summary: 'Get the progress of sending again',
        description: 'How far it is.',
        params: params.extend(pathId('redeliveryId').shape),
        response: { 200: redeliverySchema },
      },
    },
    async (request) => {
      const { webhookSubscriptionId, redeliveryId } = request.params;
      const found = await store
        .organization(request.principal.organizationId)
        .deliveries.findRedelivery(webhookSubscriptionId, redeliveryId);
      if (found === undefined) throw notFound();
      return found;
    },
  );

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
          'A signed `test.ping` on the way that all events go. It counts neither as success nor as failure. A subscription takes 30 in each minute.',
        params,
        response: { 200: deliverySchema },
      },
    },
    async (request) => {
      const { subscriptions, deliveries } = store.organization(request.principal.organizationId);
      const found = await subscriptions.find(request.params.webhookSubscriptionId);
      if (found === undefined) throw notFound();
      await count('test', found._id);
      return deliveries.test(found, new Date());
    },
  );
};
