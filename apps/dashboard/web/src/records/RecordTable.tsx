import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { clinicsQuery } from '../clinics/requests.ts';
import { ScrollTable } from '../components/ScrollTable.tsx';
import type { Kind } from '../record-kinds.ts';
import { describe, labelOf } from './descriptions.ts';
import { FieldValue } from './FieldValue.tsx';
import type { AnyRecord } from './requests.ts';

/** Records of one kind as rows, in the order of the api. */
export const RecordTable = ({ kind, records }: { kind: Kind; records: readonly AnyRecord[] }) => {
  const { data: clinics = [] } = useQuery(clinicsQuery);
  const { columns, many } = describe(kind);
  return (
    <ScrollTable label={`Table of ${many.toLowerCase()}`} columns={['Id', ...columns.map(labelOf)]}>
      {records.map((record) => (
        <tr key={record._id}>
          <td>
            <Link to="/records/$kind/$recordId" params={{ kind, recordId: record._id }}>
              <code>{record._id}</code>
            </Link>
          </td>
          {columns.map((field) => (
            <td key={field} className="value">
              <FieldValue field={field} record={record} clinics={clinics} />
            </td>
          ))}
        </tr>
      ))}
    </ScrollTable>
  );
};
