import type { EventFilter } from '@chairside/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { PAGE_SIZE } from '../api/page-size.ts';
import { withPrompts } from '../session/prompts.ts';
import type { EventSearch } from './search.ts';

/**
 * One page of events, the newest first. It is read only at the request of a person, because reads of events leave audit
 * entries.
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

/** One event. */
export const eventQuery = (id: string) =>
  queryOptions({
    queryKey: ['event', id],
    queryFn: ({ signal }) => withPrompts(() => api.events.get(id, { signal })),
    // Each read leaves an audit entry.
    refetchOnWindowFocus: false,
  });
