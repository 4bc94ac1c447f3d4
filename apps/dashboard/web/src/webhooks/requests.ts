import type { WebhookSubscription } from '@chairside/client';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { liveInterval, liveRequest } from '../api/live.ts';
import { withPrompts } from '../session/prompts.ts';

/** All subscriptions, live. */
export const subscriptionsQuery = queryOptions({
  queryKey: ['subscriptions'],
  queryFn: (context) => withPrompts(() => api.webhookSubscriptions.list(liveRequest(context)).toArray()),
  refetchInterval: liveInterval,
});

/** One subscription, live. */
export const subscriptionQuery = (id: string) =>
  queryOptions({
    queryKey: ['subscriptions', id],
    queryFn: (context) => withPrompts(() => api.webhookSubscriptions.get(id, liveRequest(context))),
    refetchInterval: liveInterval,
  });

export type SubscriptionState = 'disabled' | 'failing' | 'healthy' | 'unused';

/** How a subscription stands. Twenty failures in a row disable it. */
export const stateOf = ({
  active,
  consecutiveFailures,
  lastDeliveryTime,
}: Pick<WebhookSubscription, 'active' | 'consecutiveFailures' | 'lastDeliveryTime'>): SubscriptionState => {
  if (!active) return 'disabled';
  if (consecutiveFailures > 0) return 'failing';
  return lastDeliveryTime === undefined ? 'unused' : 'healthy';
};

/** The states in words. */
export const STATES: Readonly<Record<SubscriptionState, string>> = {
  disabled: 'Disabled',
  failing: 'Failing',
  healthy: 'Healthy',
  unused: 'Not used yet',
};
