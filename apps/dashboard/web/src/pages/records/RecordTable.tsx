import type { Clinic } from '@chairside/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { clinicsQuery } from '../../clinics/requests.ts';
import { List } from '../../components/lists/List.tsx';
import type { Column } from '../../components/lists/Table.tsx';
import { CopyId } from '../../components/texts/CopyText.tsx';
import { tip } from '../../components/texts/tip.ts';
import type { Kind } from '../../records/kinds.ts';
import { type Names, namesQuery } from '../../records/names.ts';
import type { AnyRecord } from '../../records/record.ts';
import { describe, type ListedField, labelOf } from './descriptions.ts';
import { FieldValue, textOf } from './FieldValue.tsx';
import { PatientLink } from './PatientLink.tsx';

/** What a row is called: its first field, or the end of its id. */
const RowLink = ({ kind, field, record, clinics, isZoneNamed }: CellProps) => {
  const value = record[field] === undefined || record[field] === null || record[field] === '';
  return (
    <Link className="row-link" to="/records/$kind/$recordId" params={{ kind, recordId: record._id }}>
      {value ? (
        `…${record._id.slice(-4)}`
      ) : (
        <FieldValue kind={kind} field={field} record={record} clinics={clinics} isZoneNamed={isZoneNamed} />
      )}
    </Link>
  );
};

type CellProps = {
  kind: Kind;
  field: string;
  record: AnyRecord;
  clinics: readonly Clinic[];
  isZoneNamed: boolean;
  names?: Names | undefined;
};

const Cell = ({ kind, field, record, clinics, isZoneNamed, names }: CellProps) => {
  const value = record[field];
  if (field === 'patientId' && typeof value === 'string') return <PatientLink id={value} names={names} />;
  const text = textOf(field, value);
  if (field === 'lastEditTime')
    return (
      <>
        <span className="in-card">Changed </span>
        <FieldValue kind={kind} field={field} record={record} clinics={clinics} />
      </>
    );
  const shown = (
    <FieldValue kind={kind} field={field} record={record} clinics={clinics} isZoneNamed={isZoneNamed} />
  );
  return text === undefined ? shown : <span {...tip(text)}>{shown}</span>;
};

const columnsOf = (
  kind: Kind,
  fields: readonly ListedField[],
  clinics: readonly Clinic[],
  isZoneNamed: boolean,
  names: Names | undefined,
): Column<AnyRecord>[] => [
  ...fields.map(({ field, ...layout }, index) => ({
    ...layout,
    name: labelOf(field),
    isHeader: index === 0,
    cell(record: AnyRecord) {
      const props = { kind, field, record, clinics, isZoneNamed };
      return index === 0 ? <RowLink {...props} /> : <Cell {...props} names={names} />;
    },
  })),
  { name: 'Id', cell: ({ _id }) => <CopyId id={_id} of="the id of the record" />, from: 'wide' },
];

/**
 * Records of one kind as a list, in the order of the api, with the names of their patients.
 *
 * @param props.isZoneNamed whether each time at a clinic shows the name of its zone
 */
export const RecordTable = ({
  kind,
  isZoneNamed,
  query,
  records,
  empty,
}: {
  kind: Kind;
  isZoneNamed: boolean;
  query: { error: unknown; refetch(): unknown };
  records: readonly AnyRecord[] | undefined;
  empty: ReactNode;
}) => {
  const { data: clinics = [] } = useQuery(clinicsQuery);
  const { columns, many } = describe(kind);
  const hasPatients = columns.some(({ field }) => field === 'patientId');
  const { data: names } = useQuery(
    namesQuery(hasPatients ? (records as readonly { patientId?: string }[] | undefined) : undefined),
  );
  return (
    <List
      of={many.toLowerCase()}
      query={query}
      rows={records}
      columns={columnsOf(kind, columns, clinics, isZoneNamed, names)}
      keyOf={({ _id }) => _id}
      empty={empty}
    />
  );
};
