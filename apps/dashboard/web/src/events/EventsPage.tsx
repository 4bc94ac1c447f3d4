import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ContinueSearch } from '../components/ContinueSearch.tsx';
import { PageHeading } from '../components/PageHeading.tsx';
import { Pager } from '../components/Pager.tsx';
import { Problem } from '../components/Problem.tsx';
import { RefreshButton } from '../components/RefreshButton.tsx';
import { EventTable } from '../event-log/EventTable.tsx';
import { eventsQuery } from '../event-log/requests.ts';
import type { EventSearch } from '../event-log/search.ts';
import { EventFilters } from './EventFilters.tsx';
import '../components/Filters.css';

/** The event log of the last 30 days, the newest event first. */
export const EventsPage = () => {
  const search = useSearch({ from: '/signed-in/events' });
  const navigate = useNavigate({ from: '/events' });
  const list = useQuery(eventsQuery(search));
  const { data, error, isPending } = list;
  // A cursor is valid only for its filters, so a change of a filter removes it.
  const filter = (change: EventSearch) =>
    void navigate({ search: ({ cursor: _, ...kept }) => ({ ...kept, ...change }) });
  return (
    <>
      <PageHeading>Events</PageHeading>
      <div className="filter-bar">
        <EventFilters search={search} onChange={filter} />
        <div className="buttons">
          <RefreshButton query={list} />
        </div>
      </div>
      <Problem error={error} />
      {isPending && <p role="status">Loading events…</p>}
      {data !== undefined &&
        (data.data.length === 0 ? (
          <p className="empty">
            {data.nextCursor === undefined
              ? 'No event matches. Every change of a patient, an appointment, an invoice or a payment makes an event, which stays in the log for 30 days.'
              : 'No event matches so far.'}
          </p>
        ) : (
          <EventTable events={data.data} />
        ))}
      <ContinueSearch page={data} />
      {!isPending && (
        <Pager
          isFirst={search.cursor === undefined}
          next={data?.nextCursor}
          onFirst={() => filter({})}
          onNext={(cursor) => void navigate({ search: (kept) => ({ ...kept, cursor }) })}
        />
      )}
    </>
  );
};
