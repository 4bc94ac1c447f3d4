import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { liveInterval, liveRequest } from '../api/live.ts';
import { PAGE_SIZE } from '../api/page-size.ts';
import { keptSince } from '../delivery-list/period.ts';
import { withPrompts } from '../session/prompts.ts';

/**
 * The first page of the deliveries of an event, its redeliveries included. The query is live. An event has at most one
 * automatic delivery for each subscription.
 */
export const deliveriesOfEventQuery = (eventId: string) =>
  queryOptions({
    queryKey: ['deliveries', 'of event', eventId],
    queryFn: (context) =>
      withPrompts(() =>
        api.webhookDeliveries
          .list({ eventId, since: keptSince() }, { pageSize: PAGE_SIZE, ...liveRequest(context) })
          .page(),
      ),
    refetchInterval: liveInterval,
  });
