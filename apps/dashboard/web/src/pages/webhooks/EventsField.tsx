import { Check, Checks, toggled } from '../../components/forms/Check.tsx';
import { type EventEntry, FAMILIES } from '../../events/event-families.ts';

/** The events of a subscription, by family or one by one. A family includes events that are added later. */
export const EventsField = ({
  value,
  onChange,
}: {
  value: readonly EventEntry[];
  onChange(value: EventEntry[]): void;
}) => {
  const entry = (name: EventEntry, label: string) => (
    <Check
      key={name}
      name="events"
      isChecked={value.includes(name)}
      onChange={(isChosen) => onChange(toggled(value, name, isChosen))}
    >
      {label}
    </Check>
  );
  return (
    <Checks
      label="Events"
      name="events"
      description="Without a selection, the subscription receives all events."
    >
      <div className="families">
        {FAMILIES.map(({ family, label, events }) => (
          <div key={family}>
            {entry(family, `${label}: all`)}
            {!value.includes(family) && events.map((event) => entry(event, event))}
          </div>
        ))}
      </div>
    </Checks>
  );
};
