import type { ChairsideEvent } from '@chairside/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { clinicsQuery } from '../../clinics/requests.ts';
import { Card } from '../../components/page-parts/Card.tsx';
import { PageHeading } from '../../components/page-parts/PageHeading.tsx';
import { Empty } from '../../components/states/Empty.tsx';
import { Problem } from '../../components/states/Problem.tsx';
import { Waiting } from '../../components/states/Waiting.tsx';
import { CopyButton, CopyId } from '../../components/texts/CopyText.tsx';
import { Facts } from '../../components/texts/Facts.tsx';
import { Preformatted } from '../../components/texts/Preformatted.tsx';
import { Time } from '../../components/texts/Time.tsx';
import { DeliveryList } from '../../deliveries/DeliveryList.tsx';
import { keptSince } from '../../deliveries/period.ts';
import { deliveriesOfEventQuery } from '../../deliveries/requests.ts';
import { bodyOf } from '../../events/body.ts';
import { eventQuery } from '../../events/requests.ts';
import { kindOfEvent } from '../../records/kinds.ts';
import { useSession } from '../../session/session.ts';
import { useSubscriptionUrls } from '../../subscriptions/requests.ts';

const EventFacts = ({
  event: { event, timestamp, loggedTime, clinicIds, data },
}: {
  event: ChairsideEvent;
}) => {
  const { data: clinics = [] } = useQuery(clinicsQuery);
  const nameOf = (id: string) => clinics.find(({ _id }) => _id === id)?.name ?? id;
  return (
    <Facts>
      <dt>Event</dt>
      <dd>{event}</dd>
      <dt>Happened</dt>
      <dd>
        <Time value={new Date(timestamp * 1000).toISOString()} />
      </dd>
      <dt>In the log since</dt>
      <dd>
        <Time value={loggedTime} />
      </dd>
      <dt>{clinicIds.length === 1 ? 'Clinic' : 'Clinics'}</dt>
      <dd>{clinicIds.map(nameOf).join(', ')}</dd>
      <dt>Record</dt>
      <dd>
        <RecordLink event={event} id={data._id} />
      </dd>
    </Facts>
  );
};

const RecordLink = ({ event, id }: { event: string; id: string }) => {
  const kind = kindOfEvent(event);
  if (kind === undefined) return <code>{id}</code>;
  return (
    <Link to="/records/$kind/$recordId" params={{ kind, recordId: id }}>
      {id}
    </Link>
  );
};

/** The deliveries of an event, which only administrators may see. */
const Deliveries = ({ eventId }: { eventId: string }) => {
  const query = useQuery(deliveriesOfEventQuery(eventId));
  const { data } = query;
  const { urlOf, isPending: urlsPending } = useSubscriptionUrls();
  return (
    <section aria-labelledby="deliveries" className="part">
      <header>
        <h2 id="deliveries">Deliveries</h2>
        {data?.nextCursor !== undefined && (
          <Link to="/deliveries" search={{ eventId, since: keptSince() }} className="small">
            All deliveries of this event
          </Link>
        )}
      </header>
      <DeliveryList
        query={query}
        deliveries={urlsPending ? undefined : data?.data}
        receiverOf={urlOf}
        empty={
          <Empty title="No delivery">
            <p>No subscription of this clinic wanted the event when it happened.</p>
          </Empty>
        }
      />
    </section>
  );
};

/** One event: the body of its webhooks, and where it was sent. */
export const EventPage = () => {
  const { eventId } = useParams({ from: '/signed-in/events/$eventId' });
  const { role } = useSession();
  const { data, error, isPending, refetch } = useQuery(eventQuery(eventId));
  return (
    <>
      <PageHeading
        back={{ to: '/events', name: 'Events' }}
        note={<CopyId id={eventId} of="the id of the event" />}
      >
        Event
      </PageHeading>
      <Problem error={error} again={refetch} />
      {isPending && <Waiting of="the event" />}
      {data !== undefined && (
        <>
          <div className="two">
            <Card title="What happened">
              <EventFacts event={data} />
            </Card>
            <Card title="Body" end={<CopyButton of="the body" text={bodyOf(data)} />}>
              <Preformatted>{bodyOf(data)}</Preformatted>
            </Card>
          </div>
          {role === 'administrator' && <Deliveries eventId={eventId} />}
        </>
      )}
    </>
  );
};
