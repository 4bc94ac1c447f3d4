import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ContinueSearch } from '../components/ContinueSearch.tsx';
import { PageHeading } from '../components/PageHeading.tsx';
import { Pager } from '../components/Pager.tsx';
import { Problem } from '../components/Problem.tsx';
import { DeliveryTable } from '../delivery-list/DeliveryTable.tsx';
import { keptSince } from '../delivery-list/period.ts';
import { deliveriesQuery } from '../delivery-list/requests.ts';
import type { DeliverySearch } from '../delivery-list/search.ts';
import { useSubscriptionUrls } from '../subscriptions/requests.ts';
import { DeliveryFilters } from './DeliveryFilters.tsx';
import type { Found } from './find.ts';
import { IdSearch } from './IdSearch.tsx';
import '../components/Filters.css';

/**
 * The deliveries of the organization. They are those of the last 24 hours, unless the address contains another `since`.
 */
export const DeliveriesPage = () => {
  const search = useSearch({ from: '/signed-in/deliveries' });
  const navigate = useNavigate({ from: '/deliveries' });
  const { data, error, isPending } = useQuery(deliveriesQuery(search));
  const { urlOf, isPending: urlsPending } = useSubscriptionUrls();
  const waits = isPending || urlsPending;
  // A cursor is valid only for its filters, so a change of a filter removes it.
  const filter = (change: DeliverySearch) =>
    void navigate({ search: ({ cursor: _, ...kept }) => ({ ...kept, ...change }) });
  const show = ({ kind, id }: Found) => {
    if (kind === 'delivery')
      return void navigate({ to: '/deliveries/$deliveryId', params: { deliveryId: id } });
    // A person who searches for an id may not know its day. Without `since`, the api searches 24 hours only.
    void navigate({
      search: { ...(kind === 'event' ? { eventId: id } : { requestId: id }), since: keptSince() },
    });
  };
  return (
    <>
      <PageHeading>Deliveries</PageHeading>
      <div className="filter-bar">
        <IdSearch onFound={show} />
        <DeliveryFilters search={search} onChange={filter} />
      </div>
      {(search.eventId ?? search.requestId) !== undefined && (
        <p>
          Deliveries of one {search.eventId === undefined ? 'request' : 'event'}:{' '}
          <code>{search.eventId ?? search.requestId}</code>
        </p>
      )}
      <Problem error={error} />
      {waits && <p role="status">Loading deliveries…</p>}
      {data !== undefined &&
        !waits &&
        (data.data.length === 0 ? (
          <p className="empty">
            {search.since === undefined ? 'No delivery of the last 24 hours matches' : 'No delivery matches'}
            {data.nextCursor === undefined ? '.' : ' so far.'}
          </p>
        ) : (
          <DeliveryTable deliveries={data.data} receiverOf={urlOf} />
        ))}
      {!waits && (
        <>
          <ContinueSearch page={data} />
          <Pager
            isFirst={search.cursor === undefined}
            next={data?.nextCursor}
            onFirst={() => filter({})}
            onNext={(cursor) => void navigate({ search: (kept) => ({ ...kept, cursor }) })}
          />
        </>
      )}
    </>
  );
};
