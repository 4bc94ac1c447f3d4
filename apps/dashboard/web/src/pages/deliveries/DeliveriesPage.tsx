import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { Button } from 'react-aria-components';
import { useClinicNames, useWaitForClinics } from '../../clinics/requests.ts';
import { Pager } from '../../components/lists/Pager.tsx';
import { usePage } from '../../components/lists/page.ts';
import { PageHeading } from '../../components/page-parts/PageHeading.tsx';
import { Empty } from '../../components/states/Empty.tsx';
import { Live } from '../../components/states/Live.tsx';
import { Problem } from '../../components/states/Problem.tsx';
import { tip } from '../../components/texts/tip.ts';
import { DeliveryList } from '../../deliveries/DeliveryList.tsx';
import { keptSince } from '../../deliveries/period.ts';
import { deliveriesQuery, downloadDeliveries } from '../../deliveries/requests.ts';
import type { DeliverySearch } from '../../deliveries/search.ts';
import { Recover } from '../../redeliveries/buttons.tsx';
import { subscriptionsQuery, useSubscriptionUrls } from '../../subscriptions/requests.ts';
import { DeliveryFilters } from './DeliveryFilters.tsx';
import { type FoundDeliveries, IdSearch } from './IdSearch.tsx';

const CSV = 'What the filters show, without bodies: at most 100,000 deliveries, the newest first';

/**
 * The deliveries of the organization. They are those of the last 24 hours, unless the address contains another `since`.
 */
export const DeliveriesPage = () => {
  const search = useSearch({ from: '/signed-in/deliveries' });
  const navigate = useNavigate({ from: '/deliveries' });
  const list = useQuery(deliveriesQuery(search));
  const { urlOf, isPending: urlsPending } = useSubscriptionUrls();
  const clinicName = useClinicNames();
  const clinicsPend = useWaitForClinics();
  const page = usePage(list, urlsPending || clinicsPend);
  const download = useMutation({ mutationFn: () => downloadDeliveries(search) });
  // A cursor is valid only for its filters, so a change of a filter removes it.
  const filter = (change: DeliverySearch) =>
    void navigate({ search: ({ cursor: _, ...kept }) => ({ ...kept, ...change }) });
  const show = ({ kind, id }: FoundDeliveries) => {
    if (kind === 'delivery')
      return void navigate({ to: '/deliveries/$deliveryId', params: { deliveryId: id } });
    // A person who searches for an id may not know its day. Without `since`, the api searches 24 hours only.
    void navigate({
      search: { ...(kind === 'event' ? { eventId: id } : { requestId: id }), since: keptSince() },
    });
  };
  const { data: subscriptions } = useQuery(subscriptionsQuery);
  const hasNone = subscriptions?.length === 0 && !page?.data.length;
  const isFiltered = Object.values({ ...search, cursor: undefined }).some((value) => value !== undefined);
  return (
    <>
      <PageHeading
        note={<Live of={[list]} />}
        actions={
          <>
            <Button isPending={download.isPending} onPress={() => download.mutate()} {...tip(CSV)}>
              <Download aria-hidden="true" />
              Download CSV
            </Button>
            <Recover />
          </>
        }
      >
        Deliveries
      </PageHeading>
      <DeliveryFilters search={search} onChange={filter}>
        <IdSearch onFound={show} />
      </DeliveryFilters>
      {(search.eventId ?? search.requestId) !== undefined && (
        <p className="quiet small">
          Deliveries of one {search.eventId === undefined ? 'request' : 'event'}:{' '}
          <code>{search.eventId ?? search.requestId}</code>
        </p>
      )}
      <Problem error={download.error} />
      <DeliveryList
        query={list}
        deliveries={page?.data}
        receiverOf={urlOf}
        clinicName={clinicName}
        empty={
          hasNone ? (
            <Empty title="No delivery yet">
              <p>
                A subscription delivers each event of its clinic to a receiver. There is no subscription yet.
              </p>
              <div className="buttons">
                <Link className="button" to="/webhooks">
                  Open webhooks
                </Link>
              </div>
            </Empty>
          ) : (
            <Empty
              isFiltered={isFiltered}
              title={`${search.since === undefined ? 'No delivery of the last 24 hours matches' : 'No delivery matches'}${page?.nextCursor === undefined ? '.' : ' so far.'}`}
            >
              <p>Every event is delivered to each subscription of its clinic that wants it.</p>
              {search.since === undefined && (
                <div className="buttons">
                  <Button onPress={() => filter({ since: keptSince() })}>Search 30 days</Button>
                </div>
              )}
            </Empty>
          )
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
