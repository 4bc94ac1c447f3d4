import { queryOptions, useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { liveInterval, liveRequest } from '../api/live.ts';
import { withPrompts } from '../session/prompts.ts';

/** All subscriptions, live. */
export const subscriptionsQuery = queryOptions({
  queryKey: ['subscriptions'],
  queryFn: (context) => withPrompts(() => api.webhookSubscriptions.list(liveRequest(context)).toArray()),
  refetchInterval: liveInterval,
});

/**
 * The URL of a subscription by its id, and whether the subscriptions are still being read: a list waits for them, because
 * URLs that take the place of ids would move what is below. A failure to read them leaves the ids.
 */
export const useSubscriptionUrls = (): { urlOf(subscriptionId: string): string; isPending: boolean } => {
  const { data, isPending } = useQuery(subscriptionsQuery);
  const urlOf = (id: string) =>
    data === undefined ? id : (data.find(({ _id }) => _id === id)?.url ?? 'deleted');
  return { urlOf, isPending };
};

/** One subscription, live. */
export const subscriptionQuery = (id: string) =>
  queryOptions({
    queryKey: ['subscriptions', id],
    queryFn: (context) => withPrompts(() => api.webhookSubscriptions.get(id, liveRequest(context))),
    refetchInterval: liveInterval,
  });
