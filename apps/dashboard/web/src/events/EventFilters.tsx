import { useQuery } from '@tanstack/react-query';
import { Choose } from '../components/Field.tsx';
import { IdFilter } from '../components/IdFilter.tsx';
import { TimeRange } from '../components/TimeRange.tsx';
import { FAMILIES } from '../webhooks/event-families.ts';
import { clinicsQuery } from '../webhooks/requests.ts';
import type { EventSearch } from './search.ts';

const EVENTS = FAMILIES.flatMap(({ events }) => events).map((value) => ({ value, label: value }));

/** The filters of the event log. They are in the address. */
export const EventFilters = ({
  search,
  onChange,
}: {
  search: EventSearch;
  onChange(change: EventSearch): void;
}) => {
  const { data: clinics = [] } = useQuery(clinicsQuery);
  return (
    <>
      <fieldset className="filters">
        <legend className="hidden">Filters</legend>
        <Choose
          label="Event"
          any="All events"
          value={search.event}
          choices={EVENTS}
          onChange={(event) => onChange({ event })}
        />
        <Choose
          label="Clinic"
          any="All clinics"
          value={search.clinicId}
          choices={clinics.map(({ _id, name }) => ({ value: _id, label: name ?? _id }))}
          onChange={(clinicId) => onChange({ clinicId })}
        />
      </fieldset>
      <IdFilter
        key={search.recordId ?? ''}
        label="Record id"
        value={search.recordId}
        onChange={(recordId) => onChange({ recordId })}
      />
      <TimeRange
        label="Time"
        value={{ since: search.since, until: search.until }}
        onChange={({ since, until }) => onChange({ since, until })}
      />
    </>
  );
};
