import type { WebhookSubscription } from '@chairside/client';
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
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

/** Shows the stored version of a subscription on the pages that have read it. */
export const showStored = async (queries: QueryClient, stored: WebhookSubscription): Promise<void> => {
  // A read that began before the change would restore the old version.
  await queries.cancelQueries({ queryKey: ['subscriptions'] });
  queries.setQueryData(subscriptionQuery(stored._id).queryKey, stored);
  queries.setQueryData(subscriptionsQuery.queryKey, (all) =>
    all?.map((each) => (each._id === stored._id ? stored : each)),
  );
};
