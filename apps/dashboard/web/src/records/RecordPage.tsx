import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Fragment } from 'react';
import { clinicsQuery } from '../clinics/requests.ts';
import { Facts } from '../components/Facts.tsx';
import { PageHeading } from '../components/PageHeading.tsx';
import { Problem } from '../components/Problem.tsx';
import { EventTable } from '../event-log/EventTable.tsx';
import { eventsQuery } from '../event-log/requests.ts';
import { MissingPage } from '../layout/MissingPage.tsx';
import { isKind, type Kind } from '../record-kinds.ts';
import { describe, labelOf } from './descriptions.ts';
import { FieldValue } from './FieldValue.tsx';
import { type AnyRecord, recordQuery } from './requests.ts';

const RecordFacts = ({ record }: { record: AnyRecord }) => {
  const { data: clinics = [] } = useQuery(clinicsQuery);
  return (
    <Facts>
      {Object.keys(record).map((field) => (
        <Fragment key={field}>
          <dt>{labelOf(field)}</dt>
          <dd>
            <FieldValue field={field} record={record} clinics={clinics} />
          </dd>
        </Fragment>
      ))}
    </Facts>
  );
};

/** The events of a record in the last 30 days, even if the record has been deleted. */
const RecordEvents = ({ recordId }: { recordId: string }) => {
  const { data, error, isPending } = useQuery(eventsQuery({ recordId }));
  return (
    <section aria-labelledby="events">
      <h2 id="events">Events</h2>
      <Problem error={error} />
      {isPending && <p role="status">Loading events…</p>}
      {data?.data.length === 0 && (
        <p className="empty">Nothing happened to this record in the last 30 days.</p>
      )}
      {data !== undefined && data.data.length > 0 && <EventTable events={data.data} hasRecord={false} />}
      {data?.nextCursor !== undefined && (
        <p>
          <Link to="/events" search={{ recordId }}>
            All events of this record
          </Link>
        </p>
      )}
    </section>
  );
};

const OneRecord = ({ kind, id }: { kind: Kind; id: string }) => {
  const { data, error, isPending } = useQuery(recordQuery(kind, id));
  const { one, hasEvents } = describe(kind);
  return (
    <>
      <PageHeading>{one}</PageHeading>
      <Problem error={error} />
      {isPending && <p role="status">Loading the {one.toLowerCase()}…</p>}
      {data !== undefined && <RecordFacts record={data} />}
      {kind === 'patients' && data !== undefined && (
        <p>
          <Link to="/records/$kind" params={{ kind: 'appointments' }} search={{ patientId: id }}>
            Appointments
          </Link>
          ,{' '}
          <Link to="/records/$kind" params={{ kind: 'invoices' }} search={{ patientId: id }}>
            invoices
          </Link>{' '}
          and{' '}
          <Link to="/records/$kind" params={{ kind: 'payments' }} search={{ patientId: id }}>
            payments
          </Link>{' '}
          of this patient
        </p>
      )}
      {hasEvents && <RecordEvents recordId={id} />}
    </>
  );
};

/** One record with its events. Neither the heading nor the title of the page contains the name of a person. */
export const RecordPage = () => {
  const { kind, recordId } = useParams({ from: '/signed-in/records/$kind/$recordId' });
  return isKind(kind) ? <OneRecord kind={kind} id={recordId} /> : <MissingPage />;
};
