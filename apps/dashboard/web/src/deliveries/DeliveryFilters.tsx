import { CAUSES, OUTCOMES } from '@chairside/client/words';
import { useQuery } from '@tanstack/react-query';
import { ClinicFilter } from '../clinics/ClinicFilter.tsx';
import { type Choice, choicesOf, Select } from '../components/Field.tsx';
import { Filters } from '../components/Filters.tsx';
import { TimeRange } from '../components/TimeRange.tsx';
import type { DeliverySearch } from '../delivery-list/search.ts';
import { EVENT_CHOICES } from '../event-log/event-families.ts';
import { subscriptionsQuery } from '../subscriptions/requests.ts';

/** A filter for what still needs a person. */
const UNREPAIRED = [{ value: 'true', label: 'Not repeated with success' }];
const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx'].map((value) => ({ value, label: value }));

/** The subscriptions to choose from. A deleted subscription stays in the list while it is selected as the filter. */
const useSubscriptionChoices = ({ webhookSubscriptionId: chosen }: DeliverySearch): Choice[] => {
  const { data: subscriptions = [] } = useQuery(subscriptionsQuery);
  const isMissing = chosen !== undefined && !subscriptions.some(({ _id }) => _id === chosen);
  return [
    ...subscriptions.map(({ _id, url }) => ({ value: _id, label: url })),
    ...(isMissing ? [{ value: chosen, label: chosen }] : []),
  ];
};

/**
 * The filters of the list of deliveries. The address of the page contains them, so that a link to a filtered list can
 * be shared.
 */
export const DeliveryFilters = ({
  search,
  onChange,
}: {
  search: DeliverySearch;
  onChange(change: DeliverySearch): void;
}) => {
  const subscriptions = useSubscriptionChoices(search);
  return (
    <>
      <Filters search={search}>
        <Select
          label="Outcome"
          any="All outcomes"
          value={search.outcome}
          choices={choicesOf(OUTCOMES)}
          onChange={(outcome) => onChange({ outcome })}
        />
        <Select
          label="Cause"
          any="All causes"
          value={search.cause}
          choices={choicesOf(CAUSES)}
          onChange={(cause) => onChange({ cause })}
        />
        <Select
          label="Status"
          any="All statuses"
          value={search.statusClass}
          choices={STATUS_CLASSES}
          onChange={(statusClass) => onChange({ statusClass })}
        />
        <Select
          label="Repeats"
          any="All"
          value={search.unrepaired}
          choices={UNREPAIRED}
          onChange={(unrepaired) => onChange({ unrepaired })}
        />
        <Select
          label="Event"
          any="All events"
          value={search.event}
          choices={EVENT_CHOICES}
          onChange={(event) => onChange({ event })}
        />
        <Select
          label="Subscription"
          any="All subscriptions"
          value={search.webhookSubscriptionId}
          choices={subscriptions}
          onChange={(webhookSubscriptionId) => onChange({ webhookSubscriptionId })}
        />
        <ClinicFilter value={search.clinicId} onChange={(clinicId) => onChange({ clinicId })} />
      </Filters>
      <TimeRange label="Time" value={search} otherwise="Last 24 hours" onChange={onChange} />
    </>
  );
};
