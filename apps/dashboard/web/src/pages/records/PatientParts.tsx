import type { Appointment } from '@chairside/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { clinicsQuery } from '../../clinics/requests.ts';
import { List } from '../../components/lists/List.tsx';
import { Note } from '../../components/states/Note.tsx';
import { useNow } from '../../components/texts/now.ts';
import { countText } from '../../components/texts/numbers.ts';
import type { AnyRecord } from '../../records/record.ts';
import { FieldValue } from './FieldValue.tsx';
import { ofPatientQuery } from './requests.ts';
import '../../components/page-parts/Card.css';

const APPOINTMENT_COLUMNS = ['startTime', 'procedures', 'status'] as const;
const INVOICE_COLUMNS = ['number', 'dueTime', 'status', 'total'] as const;

const PLACES = {
  startTime: { name: 'When', card: '1' },
  procedures: { name: 'Procedures', grow: 2, card: '2w' },
  status: { name: 'Status', card: '1r' },
  number: { name: 'Number', grow: 2, card: '1' },
  dueTime: { name: 'Due', card: '2' },
  total: { name: 'Total', isNumber: true, card: '2r' },
} as const;

/** The columns of a list, and the zone of its times if all clinics of its rows have the same. */
const useColumns = (kind: 'appointments' | 'invoices', rows: readonly AnyRecord[] = []) => {
  const { data: clinics = [] } = useQuery(clinicsQuery);
  const zones = new Set(
    rows.map(({ clinicId }) => clinics.find(({ _id }) => _id === clinicId)?.timezone ?? ''),
  );
  const zone = zones.size === 1 ? [...zones][0] : undefined;
  const fields = kind === 'appointments' ? APPOINTMENT_COLUMNS : INVOICE_COLUMNS;
  const columns = fields.map((field, index) => ({
    ...PLACES[field],
    isHeader: index === 0,
    cell: (record: AnyRecord) => {
      const value = (
        <FieldValue kind={kind} field={field} record={record} clinics={clinics} isZoneNamed={!zone} />
      );
      return index === 0 ? (
        <Link className="row-link" to="/records/$kind/$recordId" params={{ kind, recordId: record._id }}>
          {record[field] === undefined ? `…${record._id.slice(-4)}` : value}
        </Link>
      ) : (
        value
      );
    },
  }));
  return { columns, zone };
};

/**
 * A part of the records of a patient. If the patient has more records than were read, a part may lack any of its rows, so
 * it says so and has no count.
 */
const Part = ({
  title,
  kind,
  patientId,
  query,
  rows,
}: {
  title: string;
  kind: 'appointments' | 'invoices';
  patientId: string;
  query: { data: { isCut: boolean } | undefined; error: unknown; refetch(): unknown };
  rows: readonly AnyRecord[] | undefined;
}) => {
  const isCut = query.data?.isCut === true;
  const { columns, zone } = useColumns(kind, rows);
  const id = title.replaceAll(' ', '-').toLowerCase();
  return (
    <section aria-labelledby={id} className="part">
      <header>
        <h2 id={id}>
          {title}{' '}
          {rows !== undefined && (
            <span className="quiet small">
              {[!isCut && countText(rows.length), zone && `times of ${zone}`].filter(Boolean).join(', ')}
            </span>
          )}
        </h2>
        <Link to="/records/$kind" params={{ kind }} search={{ patientId }} className="small">
          All {kind} of this patient
        </Link>
      </header>
      {isCut && (
        <Note tone="warning">
          <p>
            This patient has more {kind} than a page shows, and the latest are not here. “All {kind} of this
            patient” has them.
          </p>
        </Note>
      )}
      <List
        of={title.toLowerCase()}
        query={query}
        rows={rows}
        columns={columns}
        keyOf={({ _id }) => _id}
        empty={<p className="quiet small">None.</p>}
      />
    </section>
  );
};

const startOf = ({ startTime }: Appointment): number => Date.parse(startTime ?? '') || 0;
const endOf = ({ startTime, endTime }: Appointment): number => Date.parse(endTime ?? startTime ?? '') || 0;

/** What a practice wants to see of a patient: the coming and the past appointments, and the invoices. */
export const PatientParts = ({ patientId }: { patientId: string }) => {
  const now = useNow();
  const appointments = useQuery(ofPatientQuery('appointments', patientId));
  const invoices = useQuery(ofPatientQuery('invoices', patientId));
  const all = (appointments.data?.records as Appointment[] | undefined)?.toSorted(
    (a, b) => startOf(a) - startOf(b),
  );
  return (
    <>
      <Part
        title="Coming appointments"
        kind="appointments"
        patientId={patientId}
        query={appointments}
        rows={all?.filter((each) => endOf(each) >= now) as AnyRecord[] | undefined}
      />
      <Part
        title="Past appointments"
        kind="appointments"
        patientId={patientId}
        query={appointments}
        rows={all?.filter((each) => endOf(each) < now).toReversed() as AnyRecord[] | undefined}
      />
      <Part
        title="Invoices"
        kind="invoices"
        patientId={patientId}
        query={invoices}
        rows={invoices.data?.records}
      />
    </>
  );
};
