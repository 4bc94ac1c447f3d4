import { useClinicFilter } from '../../clinics/clinic-filter.ts';
import { Filters } from '../../components/lists/Filters.tsx';
import { IdFilter } from '../../components/lists/IdFilter.tsx';
import { TimeRange } from '../../components/lists/TimeRange.tsx';
import { EVENT_CHOICES } from '../../events/event-families.ts';
import type { EventSearch } from '../../events/search.ts';

/** The filters of the event log. The address of the page contains them. */
export const EventFilters = ({
  search,
  onChange,
}: {
  search: EventSearch;
  onChange(change: EventSearch): void;
}) => (
  <Filters
    search={search}
    onChange={onChange}
    filters={[
      {
        name: 'event',
        label: 'Event',
        any: 'All events',
        value: search.event,
        choices: EVENT_CHOICES,
        isPinned: true,
      },
      useClinicFilter(search.clinicId),
    ]}
  >
    <IdFilter
      key={search.recordId ?? ''}
      label="Record id"
      value={search.recordId}
      onChange={(recordId) => onChange({ recordId })}
    />
    <TimeRange label="Time" value={search} onChange={onChange} />
  </Filters>
);
