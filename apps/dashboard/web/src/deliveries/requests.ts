import type { WebhookDelivery, WebhookDeliveryFilter } from '@chairside/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { liveInterval, liveRequest } from '../api/live.ts';
import { withPrompts } from '../session/prompts.ts';
import type { DeliverySearch } from './search.ts';

/** The rows of a page. */
export const PAGE_SIZE = 50;

/** One page of deliveries. The first page is live: it is read again while somebody looks at it. */
export const deliveriesQuery = ({ cursor, ...filter }: DeliverySearch) =>
  queryOptions({
    queryKey: ['deliveries', filter, cursor],
    queryFn: (context) =>
      withPrompts(() =>
        api.webhookDeliveries
          .list(filter as WebhookDeliveryFilter, { pageSize: PAGE_SIZE, ...liveRequest(context) })
          .page(cursor),
      ),
    refetchInterval: cursor === undefined ? liveInterval : false,
    placeholderData: keepPreviousData,
  });

const isFinal = ({ outcome }: WebhookDelivery): boolean => outcome !== 'queued' && outcome !== 'sending';

/** One delivery, read again until it is final. */
export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: ['delivery', id],
    queryFn: (context) => withPrompts(() => api.webhookDeliveries.get(id, liveRequest(context))),
    refetchInterval: (query) =>
      query.state.data !== undefined && isFinal(query.state.data) ? false : liveInterval(query),
  });

/** The event of a delivery, for the body that was sent. */
export const eventQuery = (id: string) =>
  queryOptions({
    queryKey: ['event', id],
    queryFn: ({ signal }) => withPrompts(() => api.events.get(id, { signal })),
  });
