import { CheckboxGroup, Label, Text } from 'react-aria-components';
import { Check } from '../components/Check.tsx';
import { type EventEntry, FAMILIES } from '../event-log/event-families.ts';
import '../components/Field.css';
import './EventsField.css';

/** The events of a subscription, by family or one by one. A family includes events that are added later. */
export const EventsField = ({
  value,
  onChange,
}: {
  value: readonly EventEntry[];
  onChange(value: EventEntry[]): void;
}) => (
  <CheckboxGroup
    className="field"
    value={[...value]}
    onChange={(entries) => onChange(entries as EventEntry[])}
    name="events"
  >
    <Label>Events</Label>
    <Text slot="description">Without a selection, the subscription receives all events.</Text>
    {FAMILIES.map(({ family, label, events }) => (
      <div key={family} className="family">
        <Check value={family}>{`${label}: all`}</Check>
        {!value.includes(family) &&
          events.map((event) => (
            <Check key={event} value={event}>
              {event}
            </Check>
          ))}
      </div>
    ))}
  </CheckboxGroup>
);
