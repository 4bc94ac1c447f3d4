import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { liveInterval, liveRequest } from '../api/live.ts';
import { keptSince } from '../delivery-list/period.ts';
import { PAGE_SIZE } from '../delivery-list/requests.ts';
import { withPrompts } from '../session/prompts.ts';

/**
 * The deliveries of an event. The query is live. An event has at most one delivery for each subscription, and
 * redeliveries.
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
