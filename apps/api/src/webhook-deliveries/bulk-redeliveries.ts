import {
  clock,
  notFound,
  type Redelivery,
  Refusal,
  redeliveryRequestSchema,
  redeliverySchema,
  validationError,
} from '@chairside/domain';
import { MAX_RUNNING_REDELIVERIES, type Secrets } from '@chairside/mongodb';
import { z } from 'zod';
import { changesOf, hostChange, withAuditEntry } from '../audit/security-actions.ts';
import type { App } from '../context.ts';
import { pathId } from '../http/path-id.ts';
import { serializerOf } from '../http/serialization.ts';
import { timePagesOf } from '../lists/pages.ts';
import { pageQuery } from '../lists/query.ts';
import { reserveWrite } from '../records/idempotency.ts';
import type { CountSending } from './sending-limits.ts';

const config = { access: { role: 'administrator', program: 'webhooks' } } as const;
const tags = ['Webhook subscriptions'];
const params = pathId('webhookSubscriptionId');
const one = '/api/webhooksubscriptions/:webhookSubscriptionId';

/** Registers the routes of bulk redeliveries. */
export const bulkRedeliveryRoutes = (app: App, count: CountSending, secrets: Secrets): void => {
  const sendPage = timePagesOf(secrets);
  const stringify = serializerOf(redeliverySchema);

  app.post(
    `${one}/redeliver`,
    {
      config: { ...config, idempotent: true },
      schema: {
        tags,
        operationId: 'redeliverWebhooks',
        example: { state: 'running', made: 0, finalTime: undefined },
        summary: 'Redeliver missed deliveries',
        description: `Starts a bulk redelivery, which redelivers the deliveries of a period in the background. Without \`outcomes\`, it selects those that failed, were interrupted or were skipped. To read its progress, get \`redeliveries/{_id}\` of the subscription. The limits are 10 an hour for a subscription, and ${MAX_RUNNING_REDELIVERIES} that run for an organization.`,
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
      await using write = await reserveWrite({ request, reply }, ({ recordId }) =>
        deliveries.findRedelivery(found._id, recordId),
      );
      const earlier = await write.earlier();
      if (earlier !== undefined) return earlier;
      const { recordId } = write.ids;
      const action = {
        action: 'redelivered',
        kind: 'webhookSubscription',
        ids: [found._id, recordId],
        changes: [hostChange(found.url), ...changesOf(request.body)],
      } as const;
      const made = await withAuditEntry(request, action, async () => {
        await count('redeliveries', found._id);
        write.begin();
        const created = await deliveries.redeliverMany(recordId, found._id, request.body, clock.now());
        if (created !== undefined) return created;
        write.refused();
        throw new Refusal(
          'TooManyRequests',
          `Your organization has ${MAX_RUNNING_REDELIVERIES} bulk redeliveries that run, the maximum. Wait until one has finished, or stop one.`,
          { retryAfter: 60, limit: 'running_redeliveries' },
        );
      });
      return write.finish(made);
    },
  );

  app.get(
    `${one}/redeliveries`,
    {
      config,
      schema: {
        tags,
        operationId: 'listWebhookRedeliveries',
        summary: 'List bulk redeliveries',
        description:
          'Returns the bulk redeliveries of a subscription in pages, the newest first. A bulk redelivery is kept for 30 days after it has finished.',
        params,
        querystring: z.strictObject(pageQuery),
        response: { 200: z.array(redeliverySchema) },
      },
    },
    async (request, reply) => {
      const { subscriptions, deliveries } = request.store;
      const { webhookSubscriptionId } = request.params;
      if ((await subscriptions.find(webhookSubscriptionId)) === undefined) throw notFound();
      return sendPage<Redelivery>(reply, {
        list: `redeliveries of ${webhookSubscriptionId}`,
        request,
        ...request.query,
        filter: {},
        read: (before, limit) => deliveries.redeliveries(webhookSubscriptionId, before, limit),
        timeOf: ({ createdTime }) => createdTime,
        stringify,
      });
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

  app.delete(
    `${one}/redeliveries/:redeliveryId`,
    {
      config,
      schema: {
        tags,
        operationId: 'stopWebhookRedelivery',
        example: { state: 'stopped' },
        summary: 'Stop a bulk redelivery',
        description:
          'Stops a bulk redelivery and returns it. It creates no further deliveries; those that it has created are still sent. A bulk redelivery that has ended is returned as it is.',
        params: params.extend(pathId('redeliveryId').shape),
        response: { 200: redeliverySchema },
      },
    },
    async (request) => {
      const { webhookSubscriptionId, redeliveryId } = request.params;
      const { deliveries } = request.store;
      const action = {
        action: 'redelivery_stopped',
        kind: 'webhookSubscription',
        ids: [webhookSubscriptionId, redeliveryId],
      } as const;
      return withAuditEntry(request, action, async () => {
        const stopped = await deliveries.stopRedelivery(webhookSubscriptionId, redeliveryId, clock.now());
        if (stopped === undefined) throw notFound();
        return stopped;
      });
    },
  );
};
