import { useQuery } from '@tanstack/react-query';
import { ClinicFilter } from '../clinics/ClinicFilter.tsx';
import { type Choice, Choose, choicesOf } from '../components/Field.tsx';
import { Filters } from '../components/Filters.tsx';
import { TimeRange } from '../components/TimeRange.tsx';
import type { DeliverySearch } from '../delivery-list/search.ts';
import { EVENT_CHOICES } from '../event-log/event-families.ts';
import { CAUSES, OUTCOMES } from '../outcomes/words.ts';
import { subscriptionsQuery } from '../subscriptions/requests.ts';

const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx'].map((value) => ({ value, label: value }));

/** The subscriptions to choose from. One that is deleted stays in the list while it is the filter. */
const useReceiverChoices = ({ webhookSubscriptionId: chosen }: DeliverySearch): Choice[] => {
  const { data: subscriptions = [] } = useQuery(subscriptionsQuery);
  const isMissing = chosen !== undefined && !subscriptions.some(({ _id }) => _id === chosen);
  return [
    ...subscriptions.map(({ _id, url }) => ({ value: _id, label: url })),
    ...(isMissing ? [{ value: chosen, label: chosen }] : []),
  ];
};

/** The filters of the list of deliveries. They are in the address, so that a link to a filtered list can be shared. */
export const DeliveryFilters = ({
  search,
  onChange,
}: {
  search: DeliverySearch;
  onChange(change: DeliverySearch): void;
}) => {
  const receivers = useReceiverChoices(search);
  return (
    <>
      <Filters search={search}>
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
          label="Event"
          any="All events"
          value={search.event}
          choices={EVENT_CHOICES}
          onChange={(event) => onChange({ event })}
        />
        <Choose
          label="Receiver"
          any="All receivers"
          value={search.webhookSubscriptionId}
          choices={receivers}
          onChange={(webhookSubscriptionId) => onChange({ webhookSubscriptionId })}
        />
        <ClinicFilter value={search.clinicId} onChange={(clinicId) => onChange({ clinicId })} />
      </Filters>
      <TimeRange label="Time" value={search} otherwise="Last 24 hours" onChange={onChange} />
    </>
  );
};
