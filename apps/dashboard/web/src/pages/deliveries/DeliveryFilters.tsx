import { CAUSES, OUTCOMES } from '@chairside/client/words';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useClinicFilter } from '../../clinics/clinic-filter.ts';
import { useClinicNames } from '../../clinics/requests.ts';
import { type Choice, choicesOf } from '../../components/forms/Field.tsx';
import { Filters } from '../../components/lists/Filters.tsx';
import { TimeRange } from '../../components/lists/TimeRange.tsx';
import type { DeliverySearch } from '../../deliveries/search.ts';
import { EVENT_CHOICES } from '../../events/event-families.ts';
import { namesOf } from '../../subscriptions/groups.ts';
import { subscriptionsQuery } from '../../subscriptions/requests.ts';

/** A filter for what still needs a person. */
const UNREPAIRED = [{ value: 'true', label: 'Not repeated with success' }];
const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx'].map((value) => ({ value, label: value }));

/** The subscriptions to choose from. */
const useSubscriptionChoices = (): Choice[] => {
  const { data: subscriptions = [] } = useQuery(subscriptionsQuery);
  const names = namesOf(subscriptions, useClinicNames());
  return subscriptions.map(({ _id, url }) => ({ value: _id, label: names.get(_id) ?? url }));
};

/**
 * The filters of the list of deliveries. The address of the page contains them, so that a link to a filtered list can
 * be shared.
 *
 * @param props.children further controls in front of the filters
 */
export const DeliveryFilters = ({
  search,
  onChange,
  children,
}: {
  search: DeliverySearch;
  onChange(change: DeliverySearch): void;
  children: ReactNode;
}) => {
  const subscriptions = useSubscriptionChoices();
  const clinic = useClinicFilter(search.clinicId);
  return (
    <Filters
      search={search}
      onChange={onChange}
      filters={[
        {
          name: 'outcome',
          label: 'Outcome',
          any: 'All outcomes',
          value: search.outcome,
          choices: choicesOf(OUTCOMES),
          isPinned: true,
        },
        { name: 'cause', label: 'Cause', any: 'All causes', value: search.cause, choices: choicesOf(CAUSES) },
        {
          name: 'statusClass',
          label: 'Status',
          any: 'All statuses',
          value: search.statusClass,
          choices: STATUS_CLASSES,
        },
        { name: 'unrepaired', label: 'Repeats', any: 'All', value: search.unrepaired, choices: UNREPAIRED },
        { name: 'event', label: 'Event', any: 'All events', value: search.event, choices: EVENT_CHOICES },
        {
          name: 'webhookSubscriptionId',
          label: 'Subscription',
          any: 'All subscriptions',
          value: search.webhookSubscriptionId,
          choices: subscriptions,
        },
        clinic,
      ]}
    >
      {children}
      <TimeRange label="Time" value={search} otherwise="last 24 hours" onChange={onChange} />
    </Filters>
  );
};
