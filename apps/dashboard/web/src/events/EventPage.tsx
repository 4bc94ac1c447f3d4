import type { ChairsideEvent } from '@chairside/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { clinicsQuery } from '../clinics/requests.ts';
import { Facts } from '../components/Facts.tsx';
import { PageHeading } from '../components/PageHeading.tsx';
import { Problem } from '../components/Problem.tsx';
import { Time } from '../components/Time.tsx';
import { DeliveryTable } from '../delivery-list/DeliveryTable.tsx';
import { bodyOf } from '../event-log/body.ts';
import { eventQuery } from '../event-log/requests.ts';
import { kindOfEvent } from '../record-kinds.ts';
import { useSession } from '../session/session.ts';
import { useSubscriptionUrls } from '../subscriptions/requests.ts';
import { deliveriesOfEventQuery } from './requests.ts';

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
  const { data, error, isPending } = useQuery(deliveriesOfEventQuery(eventId));
  const { urlOf, isPending: urlsPending } = useSubscriptionUrls();
  const waits = isPending || urlsPending;
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries">Deliveries</h2>
      <Problem error={error} />
      {waits && <p role="status">Loading deliveries…</p>}
      {data?.data.length === 0 && (
        <p className="empty">No subscription of this clinic wanted the event when it happened.</p>
      )}
      {data !== undefined && !waits && data.data.length > 0 && (
        <DeliveryTable deliveries={data.data} receiverOf={urlOf} />
      )}
      {data?.nextCursor !== undefined && (
        <p>
          <Link to="/deliveries" search={{ eventId }}>
            All deliveries of this event
          </Link>
        </p>
      )}
    </section>
  );
};

/** One event: the body of its webhooks, and where it was sent. */
export const EventPage = () => {
  const { eventId } = useParams({ from: '/signed-in/events/$eventId' });
  const { role } = useSession();
  const { data, error, isPending } = useQuery(eventQuery(eventId));
  return (
    <>
      <PageHeading>Event</PageHeading>
      <p className="quiet">
        <code>{eventId}</code>
      </p>
      <Problem error={error} />
      {isPending && <p role="status">Loading the event…</p>}
      {data !== undefined && (
        <>
          <EventFacts event={data} />
          <section aria-labelledby="body">
            <h2 id="body">Body</h2>
            <pre>{bodyOf(data)}</pre>
          </section>
          {role === 'administrator' && <Deliveries eventId={eventId} />}
        </>
      )}
    </>
  );
};
