import { useQuery } from '@tanstack/react-query';
import { Choose } from '../components/Field.tsx';
import { clinicsQuery } from '../webhooks/requests.ts';
import { CAUSES, OUTCOMES } from './cure.ts';
import type { DeliverySearch } from './search.ts';

const choicesOf = (words: Readonly<Record<string, string>>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }));
const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx'].map((value) => ({ value, label: value }));

/** The filters of the list of deliveries. They are in the address, so that a link to a filtered list can be shared. */
export const DeliveryFilters = ({
  search,
  onChange,
}: {
  search: DeliverySearch;
  onChange(change: DeliverySearch): void;
}) => {
  const { data: clinics = [] } = useQuery(clinicsQuery);
  return (
    <fieldset className="filters">
      <legend className="hidden">Filters</legend>
      <Choose
        label="Outcome"
        any="All outcomes"
        value={search.outcome}
        choices={choicesOf(OUTCOMES)}
        onChange={(outcome) => onChange({ outcome })}
      />
      <Choose
        label="Cause"
        any="All causes"
        value={search.cause}
        choices={choicesOf(CAUSES)}
        onChange={(cause) => onChange({ cause })}
      />
      <Choose
        label="Status"
        any="All statuses"
        value={search.statusClass}
        choices={STATUS_CLASSES}
        onChange={(statusClass) => onChange({ statusClass })}
      />
      <Choose
        label="Clinic"
        any="All clinics"
        value={search.clinicId}
        choices={clinics.map(({ _id, name }) => ({ value: _id, label: name ?? _id }))}
        onChange={(clinicId) => onChange({ clinicId })}
      />
    </fieldset>
  );
};
