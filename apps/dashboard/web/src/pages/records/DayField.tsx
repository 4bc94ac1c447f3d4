import { useRef, useState } from 'react';
import { type Day, isDay } from '../../clinics/days.ts';
import { Field } from '../../components/forms/Field.tsx';

/** The first and the last day that the field accepts. While a year is typed, the field contains years such as 0020. */
const MIN: Day = '1900-01-01';
const MAX: Day = '9999-12-30';

const isAccepted = (text: string): text is Day => isDay(text) && text >= MIN && text <= MAX;

/**
 * A field that leads to any day. Each day that is shown leaves an audit entry, so a typed day is shown after Enter or
 * when the field is left, and not after each digit. A day that is picked is shown at once.
 */
export const DayField = ({ day, onDay }: { day: Day; onDay(day: Day): void }) => {
  const [entered, setEntered] = useState<{ text: string; at: Day }>();
  const isTyped = useRef(false);
  // Another way to another day discards what was entered.
  const text = entered?.at === day ? entered.text : day;
  const show = (other: string) => {
    isTyped.current = false;
    setEntered(undefined);
    if (isAccepted(other) && other !== day) onDay(other);
  };
  return (
    <form
      noValidate
      onKeyDown={(event) => {
        if (event.key === 'Tab') return;
        if (event.key !== 'Enter') isTyped.current = true;
        else {
          // A browser may open its calendar instead of submitting the form.
          event.preventDefault();
          show(text);
        }
      }}
      onBlur={() => show(text)}
      onSubmit={(event) => event.preventDefault()}
    >
      <Field
        label="Go to the day"
        isLabelHidden
        hasLine={false}
        type="date"
        min={MIN}
        max={MAX}
        value={text}
        onChange={(other) => (isTyped.current ? setEntered({ text: other, at: day }) : show(other))}
      />
    </form>
  );
};
