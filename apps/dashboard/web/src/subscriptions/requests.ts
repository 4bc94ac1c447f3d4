import { queryOptions, useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { liveInterval, liveRequest } from '../api/live.ts';
import { withPrompts } from '../session/prompts.ts';

/** All subscriptions. The query is live: it is repeated while the page is shown. */
export const subscriptionsQuery = queryOptions({
  queryKey: ['subscriptions'],
  queryFn: (context) => withPrompts(() => api.webhookSubscriptions.list(liveRequest(context)).toArray()),
  refetchInterval: liveInterval,
});

/**
 * Returns the URL of a subscription by its id, and whether the subscriptions are still being read. A list waits for
 * them, because replacing ids with URLs would move the content below. If the subscriptions cannot be read, the list
 * shows the ids.
 */
export const useSubscriptionUrls = (): { urlOf(subscriptionId: string): string; isPending: boolean } => {
  const { data, isPending } = useQuery(subscriptionsQuery);
  const urlOf = (id: string) =>
    data === undefined ? id : (data.find(({ _id }) => _id === id)?.url ?? 'deleted');
  return { urlOf, isPending };
};

/** One subscription. The query is live: it is repeated while the page is shown. */
export const subscriptionQuery = (id: string) =>
  queryOptions({
    queryKey: ['subscriptions', id],
    queryFn: (context) => withPrompts(() => api.webhookSubscriptions.get(id, liveRequest(context))),
    refetchInterval: liveInterval,
  });
