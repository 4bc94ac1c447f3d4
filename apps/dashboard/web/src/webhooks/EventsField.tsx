import { Checkbox, CheckboxGroup, Label, Text } from 'react-aria-components';
import { type EventEntry, FAMILIES } from './event-families.ts';

/** The events of a subscription, by family or one by one. A family includes events that are added later. */
export const EventsField = ({
  value,
  onChange,
}: {
  value: readonly EventEntry[];
  onChange(value: EventEntry[]): void;
}) => (
  <CheckboxGroup
    className="events field"
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

const Check = ({ value, children }: { value: string; children: string }) => (
  <Checkbox value={value} className="check">
    <span className="box" aria-hidden="true" />
    {children}
  </Checkbox>
);
