import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Download, Eye } from 'lucide-react';
import { Fragment } from 'react';
import { Button } from 'react-aria-components';
import { clinicsQuery, useClinicZone } from '../../clinics/requests.ts';
import { allProvidersQuery } from '../../clinics/settings.ts';
import { isKnownZone } from '../../clinics/zone.ts';
import { Card } from '../../components/page-parts/Card.tsx';
import { PageHeading } from '../../components/page-parts/PageHeading.tsx';
import { Problem } from '../../components/states/Problem.tsx';
import { Waiting } from '../../components/states/Waiting.tsx';
import { CopyId } from '../../components/texts/CopyText.tsx';
import { Facts } from '../../components/texts/Facts.tsx';
import { visibleText } from '../../components/texts/visible-text.ts';
import { EventList } from '../../events/EventList.tsx';
import { eventsQuery } from '../../events/requests.ts';
import { MissingPage } from '../../layout/MissingPage.tsx';
import { Contact, isContact } from '../../records/Contact.tsx';
import { isKind, type Kind } from '../../records/kinds.ts';
import { namesQuery } from '../../records/names.ts';
import { type AnyRecord, recordQuery } from '../../records/record.ts';
import { useSession } from '../../session/session.ts';
import { ClinicParts } from './ClinicParts.tsx';
import { describe, isClinicTime, labelOf } from './descriptions.ts';
import { FieldValue } from './FieldValue.tsx';
import { PatientLink } from './PatientLink.tsx';
import { PatientParts } from './PatientParts.tsx';
import { ofPatientQuery, saveExport } from './requests.ts';

/** The heading of the page has the other fields. */
const isFact = (field: string): boolean => field !== '_id' && field !== 'name';

/** What applies to all fields of a record: that they are read-only, and the zone of the times at its clinic. */
const Validity = ({ record }: { record: AnyRecord }) => {
  const zone = useClinicZone(typeof record.clinicId === 'string' ? record.clinicId : undefined);
  const hasTimes = Object.keys(record).some(isClinicTime);
  return (
    <span className="quiet small">
      read-only{hasTimes && zone !== undefined && isKnownZone(zone) && `, times of ${zone}`}
    </span>
  );
};

const RecordFacts = ({ kind, record }: { kind: Kind; record: AnyRecord }) => {
  const { data: clinics = [] } = useQuery(clinicsQuery);
  const patientId = typeof record.patientId === 'string' ? record.patientId : undefined;
  const { data: names } = useQuery(namesQuery(patientId === undefined ? [] : [{ patientId }]));
  return (
    <Facts>
      {Object.keys(record)
        .filter(isFact)
        .map((field) => (
          <Fragment key={field}>
            <dt>{labelOf(field)}</dt>
            <dd>
              {field === 'patientId' && patientId !== undefined ? (
                <PatientLink id={patientId} names={names} />
              ) : isContact(field) && typeof record[field] === 'string' ? (
                <Contact field={field} value={record[field]} />
              ) : (
                <FieldValue kind={kind} field={field} record={record} clinics={clinics} isZoneNamed={false} />
              )}
            </dd>
          </Fragment>
        ))}
    </Facts>
  );
};

/** The events of a record in the last 30 days, even if the record has been deleted. */
const RecordEvents = ({ recordId }: { recordId: string }) => {
  const query = useQuery(eventsQuery({ recordId }));
  return (
    <section aria-labelledby="events" className="part">
      <header>
        <h2 id="events">Events</h2>
        {query.data?.nextCursor !== undefined && (
          <Link to="/events" search={{ recordId }} className="small">
            All events of this record
          </Link>
        )}
      </header>
      <EventList
        query={query}
        events={query.data?.data}
        hasRecord={false}
        empty={
          <p className="quiet small">No events in the last 30 days. By default, an import creates none.</p>
        }
      />
    </section>
  );
};

/** Who has read or changed a patient, and the file with what is stored about the patient, for administrators. */
const PatientActions = ({
  recordId,
  download,
}: {
  recordId: string;
  /** Absent if the patient does not exist any more. */
  download: { isPending: boolean; mutate(): void } | undefined;
}) => {
  const { role } = useSession();
  if (role !== 'administrator') return null;
  return (
    <>
      <Link className="button" to="/records/patients/$recordId/seen" params={{ recordId }}>
        <Eye aria-hidden="true" />
        Who has seen this?
      </Link>
      {download !== undefined && (
        <Button isPending={download.isPending} onPress={() => download.mutate()}>
          <Download aria-hidden="true" />
          Export
        </Button>
      )}
    </>
  );
};

const nameOf = (record: AnyRecord | undefined): string =>
  typeof record?.name === 'string' ? record.name.trim() : '';

const OneRecord = ({ kind, id }: { kind: Kind; id: string }) => {
  const { data, error, isPending, refetch } = useQuery(recordQuery(kind, id));
  const { one, many, hasEvents } = describe(kind);
  const isPatient = kind === 'patients';
  const download = useMutation({ mutationFn: () => saveExport(id) });
  const events = useQuery({ ...eventsQuery({ recordId: id }), enabled: hasEvents });
  const parts = [
    events,
    useQuery({ ...ofPatientQuery('appointments', id), enabled: isPatient }),
    useQuery({ ...ofPatientQuery('invoices', id), enabled: isPatient }),
    useQuery({ ...allProvidersQuery, enabled: data?.providerId !== undefined }),
  ];
  // A record that was deleted still has its events. One that never existed has none.
  const isMissing = data === undefined && events.data?.data.length === 0;
  // The page waits for all of its parts, because a part that appeared later would move the others.
  const waits = isPending || parts.some(({ isLoading }) => isLoading);
  const name = nameOf(data);
  return (
    <>
      <PageHeading
        back={{ to: `/records/${kind}`, name: many }}
        note={
          <>
            {kind !== 'clinics' && name !== '' && one}
            <CopyId id={id} of="the id of the record" />
          </>
        }
        {...(name !== '' && { shown: <bdi>{visibleText(name)}</bdi> })}
        {...(isPatient && {
          actions: <PatientActions recordId={id} download={data === undefined ? undefined : download} />,
        })}
      >
        {one}
      </PageHeading>
      <Problem error={error} again={refetch} />
      <Problem error={download.error} />
      {waits ? (
        <Waiting of={`the ${one.toLowerCase()}`} />
      ) : (
        <div className={isPatient ? 'with-aside' : undefined}>
          {data !== undefined && (
            <Card title={isPatient ? 'Person' : one} end={<Validity record={data} />}>
              <RecordFacts kind={kind} record={data} />
            </Card>
          )}
          <div>
            {isPatient && data !== undefined && <PatientParts patientId={id} />}
            {kind === 'clinics' && data !== undefined && <ClinicParts clinicId={id} />}
            {hasEvents && !isMissing && <RecordEvents recordId={id} />}
          </div>
        </div>
      )}
    </>
  );
};

/** One record with its events. The title of the page does not contain the name of a person. */
export const RecordPage = () => {
  const { kind, recordId } = useParams({ from: '/signed-in/records/$kind/$recordId' });
  return isKind(kind) ? <OneRecord key={recordId} kind={kind} id={recordId} /> : <MissingPage />;
};
