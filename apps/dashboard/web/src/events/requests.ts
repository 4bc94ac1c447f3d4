import type { EventFilter } from '@chairside/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { liveInterval, liveRequest } from '../api/live.ts';
import { keptSince } from '../deliveries/period.ts';
import { withPrompts } from '../session/prompts.ts';
import type { EventSearch } from './search.ts';

/** The rows of a page. */
const PAGE_SIZE = 50;

/**
 * One page of events, the newest first. It is read when somebody asks for it and not by itself: each read of events
 * leaves an audit entry.
 */
export const eventsQuery = ({ cursor, ...filter }: EventSearch) =>
  queryOptions({
    queryKey: ['events', filter, cursor],
    queryFn: ({ signal }) =>
      withPrompts(() =>
        api.events
          .list({ ...filter, order: 'desc' } as EventFilter, { pageSize: PAGE_SIZE, signal })
          .page(cursor),
      ),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  });

/** The deliveries of an event, live. An event has at most one for each subscription, and redeliveries. */
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
