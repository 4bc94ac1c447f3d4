import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Pager } from '../../components/lists/Pager.tsx';
import { usePage } from '../../components/lists/page.ts';
import { PageHeading } from '../../components/page-parts/PageHeading.tsx';
import { Empty } from '../../components/states/Empty.tsx';
import { RefreshButton } from '../../components/states/RefreshButton.tsx';
import { EventList } from '../../events/EventList.tsx';
import { eventsQuery } from '../../events/requests.ts';
import type { EventSearch } from '../../events/search.ts';
import { HowRecordsCome } from '../../records/HowRecordsCome.tsx';
import { EventFilters } from './EventFilters.tsx';

/** The event log of the last 30 days, the newest event first. */
export const EventsPage = () => {
  const search = useSearch({ from: '/signed-in/events' });
  const navigate = useNavigate({ from: '/events' });
  const list = useQuery(eventsQuery(search));
  const page = usePage(list);
  // A cursor is valid only for its filters, so a change of a filter removes it.
  const filter = (change: EventSearch) =>
    void navigate({ search: ({ cursor: _, ...kept }) => ({ ...kept, ...change }) });
  const isFiltered = Object.values({ ...search, cursor: undefined }).some((value) => value !== undefined);
  return (
    <>
      <PageHeading
        note="Every change of a patient, an appointment, an invoice or a payment makes an event, which stays in the log for 30 days."
        actions={<RefreshButton query={list} />}
      >
        Events
      </PageHeading>
      <EventFilters search={search} onChange={filter} />
      <EventList
        query={list}
        events={page?.data}
        empty={
          <Empty
            isFiltered={isFiltered}
            title={page?.nextCursor === undefined ? 'No event matches.' : 'No event matches so far.'}
          >
            {!isFiltered && (
              <>
                <p>Events come with the first records.</p>
                <HowRecordsCome />
              </>
            )}
          </Empty>
        }
      />
      <Pager
        isFirst={search.cursor === undefined}
        page={page}
        onFirst={() => filter({})}
        onNext={(cursor) => void navigate({ search: (kept) => ({ ...kept, cursor }) })}
      />
    </>
  );
};
