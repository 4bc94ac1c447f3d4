import {
  clock,
  conflict,
  deliveryId,
  deliverySchema,
  isFinalOutcome,
  notFound,
  originOf,
} from '@chairside/domain';
import { authorOf } from '../audit/author.ts';
import { refOf } from '../audit/origin.ts';
import { auditDeliveryRead } from '../audit/record-reads.ts';
import { hostChange, withAuditEntry } from '../audit/security-actions.ts';
import type { App, Dependencies } from '../context.ts';
import { pathId } from '../http/path-id.ts';
import { reserveWrite } from '../records/idempotency.ts';
import { bulkRedeliveryRoutes } from './bulk-redeliveries.ts';
import { QUEUED } from './queued-example.ts';
import { type CountSending, countSending } from './sending-limits.ts';

const config = { access: { role: 'administrator', program: 'webhooks' } } as const;
const tags = ['Webhook subscriptions'];
const params = pathId('webhookSubscriptionId');
const one = '/api/webhooksubscriptions/:webhookSubscriptionId';

const redeliveryRoute = (app: App, count: CountSending): void => {
  app.post(
    '/api/webhookdeliveries/:webhookDeliveryId/redeliver',
    {
      config: { ...config, idempotent: true },
      schema: {
        tags: ['Webhook deliveries'],
        operationId: 'redeliverWebhook',
        example: {
          ...QUEUED,
          _id: '01JB000000000000000EVENT10-01JB00000000000REDEL1VERED',
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
      const { deliveries, subscriptions } = request.store;
      const found = await deliveries.find(request.params.webhookDeliveryId);
      if (found === undefined) throw notFound();
      if (!isFinalOutcome(found.outcome)) {
        throw conflict(
          'delivery_not_final',
          'This delivery has not ended yet. Wait for its outcome, then try again.',
        );
      }
      await using write = await reserveWrite({ request, reply }, async ({ recordId }) => {
        const made = await deliveries.find(deliveryId(found.eventId, recordId));
        // By now it may have the response of the receiver, which may contain patient data.
        if (made !== undefined) await auditDeliveryRead(request, made._id);
        return made;
      });
      const earlier = await write.earlier();
      if (earlier !== undefined) return earlier;
      const subscription = await subscriptions.find(found.subscriptionId);
      const action = {
        action: 'redelivered',
        kind: 'webhookDelivery',
        ids: [found._id],
        changes: subscription === undefined ? [] : [hostChange(subscription.url)],
      } as const;
      const made = await withAuditEntry(request, action, async () => {
        await count('redelivery', found.subscriptionId);
        write.begin();
        const outcome = await deliveries.redeliver(write.ids.recordId, found, clock.now());
        if (outcome !== 'event_gone') return outcome;
        write.refused();
        throw conflict(
          'event_expired',
          'The event of this delivery has expired, so it cannot be redelivered. Read the current record instead.',
        );
      });
      return write.finish(made);
    },
  );
};

const testRoute = (app: App, count: CountSending, store: Pick<Dependencies['store'], 'ciphers'>): void => {
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
      const action = {
        action: 'tested',
        kind: 'webhookSubscription',
        ids: [found._id],
        changes: [hostChange(found.url)],
      } as const;
      return withAuditEntry(request, action, async () => {
        await count('test', found._id);
        const origin = originOf(authorOf(request), await refOf(store, request.principal));
        return deliveries.test(found, origin, clock.now());
      });
    },
  );
};

/** Registers the routes of deliveries that an administrator requests: redeliveries, bulk redeliveries and tests. */
export const requestedDeliveryRoutes = (
  app: App,
  { limiter, store }: Pick<Dependencies, 'limiter' | 'store'>,
): void => {
  const count = countSending(limiter);
  redeliveryRoute(app, count);
  bulkRedeliveryRoutes(app, count, store.secrets);
  testRoute(app, count, store);
};
