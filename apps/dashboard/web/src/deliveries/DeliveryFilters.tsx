import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { ClinicFilter } from '../clinics/ClinicFilter.tsx';
import { type Choice, Choose, choicesOf } from '../components/Field.tsx';
import { localOf, TimeField, timeOf } from '../components/TimeField.tsx';
import { EVENT_CHOICES } from '../webhooks/event-families.ts';
import { subscriptionsQuery } from '../webhooks/requests.ts';
import { CAUSES, OUTCOMES } from './cure.ts';
import type { DeliverySearch } from './search.ts';

const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx'].map((value) => ({ value, label: value }));

/** A bound of the period. The address changes with a whole time only, not while it is typed. */
const Bound = ({
  label,
  name,
  time,
  onChange,
}: {
  label: string;
  name: string;
  time: string | undefined;
  onChange(time: string | undefined): void;
}) => {
  const shown = time === undefined || timeOf(time) === undefined ? '' : localOf(Date.parse(time));
  const [typed, setTyped] = useState(shown);
  const [last, setLast] = useState(time);
  // The address has changed otherwise: by Back, or by a search for an id.
  if (time !== last) {
    setLast(time);
    setTyped(shown);
  }
  const change = (value: string) => {
    setTyped(value);
    const changed = timeOf(value);
    if (value === '' || changed !== undefined) onChange(changed);
  };
  return <TimeField label={label} name={name} value={typed} onChange={change} />;
};

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
  onClear,
}: {
  search: DeliverySearch;
  onChange(change: DeliverySearch): void;
  onClear(): void;
}) => {
  const receivers = useReceiverChoices(search);
  const { cursor: _, ...filters } = search;
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
      <Bound label="From" name="since" time={search.since} onChange={(since) => onChange({ since })} />
      <Bound label="Until" name="until" time={search.until} onChange={(until) => onChange({ until })} />
      {Object.values(filters).some((value) => value !== undefined) && (
        <Button onPress={onClear}>Clear filters</Button>
      )}
    </fieldset>
  );
};
