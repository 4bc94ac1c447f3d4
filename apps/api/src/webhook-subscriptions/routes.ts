import {
  createdSubscriptionSchema,
  notFound,
  subscriptionCreateSchema,
  subscriptionSchema,
  subscriptionUpdateSchema,
} from '@chairside/domain';
import { cachedStops } from '@chairside/mongodb';
import { z } from 'zod';
import { withAuditEntry } from '../audit/security-actions.ts';
import type { App, Dependencies } from '../context.ts';
import { pathId } from '../http/path-id.ts';
import { requireMatch, tagged } from '../records/entity-tags.ts';
import { subscriptionChanges } from './audited.ts';
import { createSubscription, urlIssues } from './create.ts';
import { updateSubscription } from './update.ts';

const config = { access: { role: 'administrator', program: 'webhooks' } } as const;
const versioned = { ...config, versioned: 'changes' } as const;
const tags = ['Webhook subscriptions'];
const params = pathId('webhookSubscriptionId');
const response = { 200: subscriptionSchema };
const one = '/api/webhooksubscriptions/:webhookSubscriptionId';

export const webhookSubscriptionRoutes = (
  app: App,
  { config: { WEBHOOK_ALLOWED_NETWORKS }, store }: Pick<Dependencies, 'config' | 'store'>,
): void => {
  const stopped = cachedStops(store.everyOrganization.stops);
  /** Says of subscriptions whether their deliveries wait. */
  const shown = async <S extends { url: string }>(subscriptions: readonly S[]) => {
    const { hosts } = await stopped();
    // One URL that was damaged in the database must not hide all other subscriptions.
    const isBlocked = (url: string): boolean => hosts.has(URL.parse(url)?.host ?? '');
    return subscriptions.map((each) =>
      isBlocked(each.url) ? { ...each, withheld: 'host_blocked' as const } : each,
    );
  };
  const oneShown = async <S extends { url: string }>(subscription: S) =>
    (await shown([subscription]))[0] as S;
  const alsoCheck = ({ url }: Readonly<Record<string, unknown>>) =>
    urlIssues(typeof url === 'string' ? url : undefined, WEBHOOK_ALLOWED_NETWORKS);
  app.get(
    '/api/webhooksubscriptions',
    {
      config,
      schema: {
        tags,
        operationId: 'listWebhookSubscriptions',
        summary: 'List subscriptions',
        description: 'Returns all subscriptions of the organization, without their secrets.',
        response: { 200: z.array(subscriptionSchema) },
      },
    },
    async (request) => shown(await request.store.subscriptions.list()),
  );

  app.post(
    '/api/webhooksubscriptions',
    {
      config: { ...versioned, alsoCheck },
      schema: {
        tags,
        operationId: 'createWebhookSubscription',
        example: { lastDeliveryTime: undefined, lastStatusCode: undefined },
        summary: 'Create a subscription',
        description:
          'Creates a subscription and returns its secret. The secret is shown only once. A clinic can have 20 subscriptions. With `replaces`, the new subscription is to replace another one, whose secret is replaced that way: enable the new one with `PUT` when its receiver accepts its secret. From then on it gets the events instead of the other one, and each event goes to exactly one of them.',
        body: subscriptionCreateSchema,
        refusals: [409],
        response: { 200: createdSubscriptionSchema },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const isReplacement = 'replaces' in body;
      const replaced = isReplacement ? await request.store.subscriptions.find(body.replaces) : undefined;
      const changes = await subscriptionChanges(request, body, replaced, { isReplacement });
      const action = { action: 'created', kind: 'webhookSubscription', ids: [], changes } as const;
      const created = await withAuditEntry(
        request,
        action,
        () => createSubscription(request.store, WEBHOOK_ALLOWED_NETWORKS, body),
        ({ _id }) => [_id],
      );
      return tagged(reply, 'subscription', await oneShown(created));
    },
  );

  app.get(
    one,
    {
      config: versioned,
      schema: {
        tags,
        operationId: 'getWebhookSubscription',
        summary: 'Get one subscription',
        description: 'Returns a subscription, without its secret.',
        params,
        response,
      },
    },
    async (request, reply) => {
      const found = await request.store.subscriptions.find(request.params.webhookSubscriptionId);
      if (found === undefined) throw notFound();
      return tagged(reply, 'subscription', await oneShown(found));
    },
  );

  app.put(
    one,
    {
      config: { ...versioned, alsoCheck },
      schema: {
        tags,
        operationId: 'updateWebhookSubscription',
        summary: 'Change a subscription',
        description:
          'Changes the URL, the events, the payload, the fixed headers, and whether the subscription is active. Enabling a subscription resets its number of failures to 0. Enabling one with `replaces` lets it get the events instead of the replaced one, which cannot be enabled until this one is deleted.',
        params,
        body: subscriptionUpdateSchema,
        refusals: [409],
        response,
      },
    },
    async (request, reply) => {
      const { webhookSubscriptionId: id } = request.params;
      const { subscriptions } = request.store;
      const check = requireMatch(request, 'subscription');
      const { url, events, payload, headers, active } = request.body;
      const current = await subscriptions.find(id);
      const replaces = active === true && current?.active === false ? current.replaces : undefined;
      const sent = { url, events, payload, headers, active, replaces };
      const changes = await subscriptionChanges(request, sent, current);
      const action = { action: 'updated', kind: 'webhookSubscription', ids: [id], changes } as const;
      const updated = await withAuditEntry(request, action, () =>
        updateSubscription(subscriptions, WEBHOOK_ALLOWED_NETWORKS, id, current, request.body, check),
      );
      return tagged(reply, 'subscription', await oneShown(updated));
    },
  );

  app.delete(
    one,
    {
      config: versioned,
      schema: {
        tags,
        operationId: 'deleteWebhookSubscription',
        summary: 'Delete a subscription',
        description:
          'Deletes a subscription and returns it, without its secret. After one second, no further attempt begins.',
        params,
        response,
      },
    },
    async (request) => {
      const { webhookSubscriptionId: id } = request.params;
      const check = requireMatch(request, 'subscription');
      const action = { action: 'deleted', kind: 'webhookSubscription', ids: [id] } as const;
      return withAuditEntry(request, action, async () => {
        const deleted = await request.store.subscriptions.delete(id, check);
        if (deleted === undefined) throw notFound();
        return deleted;
      });
    },
  );
};
