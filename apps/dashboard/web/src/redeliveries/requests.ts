import type { WebhookDeliveryFilter, WebhookRedelivery } from '@chairside/client';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { liveInterval, liveRequest } from '../api/live.ts';
import { UNSUCCESSFUL } from '../deliveries/unsuccessful.ts';
import { withPrompts } from '../session/prompts.ts';
import { subscriptionsQuery } from '../subscriptions/requests.ts';

/** Whether its numbers may still change. */
export const isOpen = ({ state, waiting = 0 }: WebhookRedelivery): boolean =>
  state === 'running' || waiting > 0;

/** The bulk redeliveries of a subscription, the newest first. They are read repeatedly until their numbers are final. */
export const redeliveriesQuery = (subscriptionId: string) =>
  queryOptions({
    queryKey: ['redeliveries', subscriptionId],
    queryFn: (context) =>
      withPrompts(() =>
        api.webhookSubscriptions
          .redeliveries(subscriptionId, { pageSize: 20, ...liveRequest(context) })
          .page(),
      ),
    refetchInterval: (query) => (query.state.data?.data.some(isOpen) ? liveInterval(query) : false),
  });

/** The most deliveries of an outcome that are counted before. The redelivery itself has no such limit. */
const MAX_COUNTED = 500;

/** A range of times; `since` is undefined while the field is empty or wrong. */
export type Range = { since: string | undefined; until: string | undefined };

/** The deliveries of a range with one outcome that would be sent again, and whether there may be more. */
type Counted = { subscriptionIds: string[]; isMore: boolean };

/**
 * What would be sent again, for each outcome of {@link UNSUCCESSFUL}.
 *
 * @param subscriptionId undefined for all subscriptions
 */
export const redeliverableQuery = (subscriptionId: string | undefined, { since, until }: Range) =>
  queryOptions({
    queryKey: ['redeliverable', subscriptionId, since, until],
    async queryFn({ client, signal }) {
      const subscriptions = await client.fetchQuery(subscriptionsQuery);
      const present = new Set(subscriptions.map(({ _id }) => _id));
      return Promise.all(
        UNSUCCESSFUL.map(async (outcome): Promise<Counted> => {
          const filter = {
            outcome,
            unrepaired: 'true',
            since,
            ...(subscriptionId !== undefined && { webhookSubscriptionId: subscriptionId }),
            ...(until !== undefined && { until }),
          } as WebhookDeliveryFilter;
          const list = api.webhookDeliveries.list(filter, { pageSize: MAX_COUNTED, signal });
          const { data, nextCursor } = await withPrompts(() => list.page());
          // A redelivery or a test that failed is not sent again: its event is, if its first delivery failed. Nothing
          // is sent for a deleted subscription.
          const events = data.filter((each) => each.kind === 'event' && present.has(each.subscriptionId));
          return {
            subscriptionIds: events.map((delivery) => delivery.subscriptionId),
            isMore: nextCursor !== undefined,
          };
        }),
      );
    },
    enabled: since !== undefined,
  });
