import type { WebhookSubscription } from '@chairside/client';
import { queryOptions } from '@tanstack/react-query';
import { api, backgroundApi } from '../api/client.ts';
import { liveInterval } from '../api/live.ts';
import { withPrompts } from '../session/prompts.ts';

/** The clinics of the organization. */
export const clinicsQuery = queryOptions({
  queryKey: ['clinics'],
  queryFn: ({ signal }) => withPrompts(() => api.clinics.list({}, { signal }).toArray()),
  staleTime: 5 * 60_000,
});

/** All subscriptions, live. */
export const subscriptionsQuery = queryOptions({
  queryKey: ['subscriptions'],
  queryFn({ signal, client, queryKey }) {
    const source = client.getQueryData(queryKey) === undefined ? api : backgroundApi;
    return withPrompts(() => source.webhookSubscriptions.list({ signal }).toArray());
  },
  refetchInterval: liveInterval,
});

/** One subscription, live. */
export const subscriptionQuery = (id: string) =>
  queryOptions({
    queryKey: ['subscriptions', id],
    queryFn({ signal, client, queryKey }) {
      const source = client.getQueryData(queryKey) === undefined ? api : backgroundApi;
      return withPrompts(() => source.webhookSubscriptions.get(id, { signal }));
    },
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
