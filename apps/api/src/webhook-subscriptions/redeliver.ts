import {
  deliverySchema,
  id,
  notFound,
  redeliveryRequestSchema,
  redeliverySchema,
  validationError,
} from '@chairside/domain';
import { z } from 'zod';
import type { App, Dependencies } from '../app.ts';
import { once } from '../plugins/idempotency.ts';
import { pathId } from '../plugins/path-id.ts';

const config = { access: { role: 'administrator' } } as const;
const params = pathId('webhookSubscriptionId');
const one = '/api/webhooksubscriptions/:webhookSubscriptionId';

/** What an operator can have sent to a subscription besides its events: what it missed, and a test. */
export const redeliveryRoutes = (app: App, { store }: Pick<Dependencies, 'store'>): void => {
  app.post(
    `${one}/redeliver`,
    {
      config: { ...config, idempotent: true },
      schema: { params, body: redeliveryRequestSchema, response: { 200: redeliverySchema } },
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
        ({ recordId }) => deliveries.redeliverMany(recordId, found._id, request.body, new Date()),
        ({ recordId }) => deliveries.findRedelivery(found._id, recordId),
      );
    },
  );

  app.get(
    `${one}/redeliveries/:redeliveryId`,
    {
      config,
      schema: {
        params: z.strictObject({ webhookSubscriptionId: id, redeliveryId: id }),
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
    { config, schema: { params, response: { 200: deliverySchema } } },
    async (request) => {
      const { subscriptions, deliveries } = store.organization(request.principal.organizationId);
      const found = await subscriptions.find(request.params.webhookSubscriptionId);
      if (found === undefined) throw notFound();
      return deliveries.test(found, new Date());
    },
  );
};
