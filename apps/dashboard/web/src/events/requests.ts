import type { EventFilter } from '@chairside/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, backgroundApi } from '../api/client.ts';
import { liveInterval } from '../api/live.ts';
import { withPrompts } from '../session/prompts.ts';
import type { EventSearch } from './search.ts';

/** The rows of a page. */
const PAGE_SIZE = 50;
/** How long the service keeps events and their deliveries, in milliseconds. */
const KEPT = 30 * 24 * 60 * 60_000;

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
    queryFn({ signal, client, queryKey }) {
      const source = client.getQueryData(queryKey) === undefined ? api : backgroundApi;
      const since = new Date(Date.now() - KEPT);
      return withPrompts(() =>
        source.webhookDeliveries.list({ eventId, since }, { pageSize: PAGE_SIZE, signal }).page(),
      );
    },
    refetchInterval: liveInterval,
  });
