import { ClinicFilter } from '../clinics/ClinicFilter.tsx';
import { Select } from '../components/Field.tsx';
import { Filters } from '../components/Filters.tsx';
import { IdFilter } from '../components/IdFilter.tsx';
import { TimeRange } from '../components/TimeRange.tsx';
import { EVENT_CHOICES } from '../event-log/event-families.ts';
import type { EventSearch } from '../event-log/search.ts';

/** The filters of the event log. The address of the page contains them. */
export const EventFilters = ({
  search,
  onChange,
}: {
  search: EventSearch;
  onChange(change: EventSearch): void;
}) => (
  <>
    <Filters search={search}>
      <Select
        label="Event"
        any="All events"
        value={search.event}
        choices={EVENT_CHOICES}
        onChange={(event) => onChange({ event })}
      />
      <ClinicFilter value={search.clinicId} onChange={(clinicId) => onChange({ clinicId })} />
    </Filters>
    <IdFilter
      key={search.recordId ?? ''}
      label="Record id"
      value={search.recordId}
      onChange={(recordId) => onChange({ recordId })}
    />
    <TimeRange label="Time" value={search} onChange={onChange} />
  </>
);
