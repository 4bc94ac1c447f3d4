import { useNavigate } from '@tanstack/react-router';
import { ClinicFilter } from '../clinics/ClinicFilter.tsx';
import { Select } from '../components/Field.tsx';
import { Filters } from '../components/Filters.tsx';
import { IdFilter } from '../components/IdFilter.tsx';
import { TimeRange } from '../components/TimeRange.tsx';
import { isKind, type Kind, RECORD_KINDS } from '../record-kinds.ts';
import { describe } from './descriptions.ts';
import type { RecordSearch } from './search.ts';

const KIND_CHOICES = RECORD_KINDS.map((kind) => ({ value: kind, label: describe(kind).many }));

/** The kind of records, the filters that the api has for it, and a field that opens a record by its id. */
export const RecordFilters = ({
  kind,
  search,
  onChange,
}: {
  kind: Kind;
  search: RecordSearch;
  onChange(change: RecordSearch): void;
}) => {
  const navigate = useNavigate();
  const { filters, one } = describe(kind);
  const show = (value: string | undefined) => {
    if (value !== undefined && isKind(value))
      void navigate({ to: '/records/$kind', params: { kind: value } });
  };
  return (
    <>
      <Filters search={search}>
        <Select label="Kind" value={kind} choices={KIND_CHOICES} onChange={show} />
        {filters.includes('clinicId') && (
          <ClinicFilter value={search.clinicId} onChange={(clinicId) => onChange({ clinicId })} />
        )}
      </Filters>
      <IdFilter
        label={`Id of one ${one.toLowerCase()}`}
        submit="Open"
        value={undefined}
        onChange={(recordId) =>
          recordId !== undefined &&
          void navigate({ to: '/records/$kind/$recordId', params: { kind, recordId } })
        }
      />
      {filters.includes('patientId') && (
        <IdFilter
          key={search.patientId ?? ''}
          label="Patient id"
          value={search.patientId}
          onChange={(patientId) => onChange({ patientId })}
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
    </>
  );
};
