import type { WebhookDeliveryFilter } from '@chairside/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { liveInterval, liveRequest } from '../api/live.ts';
import { PAGE_SIZE } from '../api/page-size.ts';
import { withPrompts } from '../session/prompts.ts';
import type { DeliverySearch } from './search.ts';

/** One page of deliveries. The first page is live: it is read repeatedly while it is shown. */
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
