import type { ReactNode } from 'react';
import { useClinicFilter } from '../../clinics/clinic-filter.ts';
import { type Filter, Filters } from '../../components/lists/Filters.tsx';
import { TimeRange } from '../../components/lists/TimeRange.tsx';
import type { Kind } from '../../records/kinds.ts';
import { describe } from './descriptions.ts';
import { RecordIdSearch } from './RecordIdSearch.tsx';
import type { RecordSearch } from './search.ts';
import { statusChoices } from './words.ts';

/**
 * The filters that the api has for a kind of record, and a field that opens a record by its id.
 *
 * @param props.children a search of this kind, which takes ids, too
 */
export const RecordFilters = ({
  kind,
  search,
  onChange,
  children,
}: {
  kind: Kind;
  search: RecordSearch;
  onChange(change: RecordSearch): void;
  children?: ReactNode;
}) => {
  const clinic = useClinicFilter(search.clinicId, true);
  const { filters } = describe(kind);
  const selects: Filter[] = [
    ...(filters.includes('clinicId') ? [clinic] : []),
    ...(filters.includes('status')
      ? [
          {
            name: 'status',
            label: 'Status',
            any: 'All statuses',
            value: search.status,
            choices: statusChoices(kind),
          },
        ]
      : []),
  ];
  return (
    <Filters search={{ ...search, view: undefined }} onChange={onChange} filters={selects}>
      {children ?? (
        <RecordIdSearch
          key={search.patientId ?? ''}
          kind={kind}
          patientId={search.patientId}
          onPatient={filters.includes('patientId') ? (patientId) => onChange({ patientId }) : undefined}
        />
      )}
      {filters.includes('time') && (
        <TimeRange
          label="Appointment time"
          value={{ since: search.startTime, until: search.endTime }}
          onChange={({ since, until }) => onChange({ startTime: since, endTime: until })}
        />
      )}
      <TimeRange
        label="Last change"
        hasEnd={false}
        value={{ since: search.updatedSince }}
        onChange={({ since }) => onChange({ updatedSince: since })}
      />
    </Filters>
  );
};
