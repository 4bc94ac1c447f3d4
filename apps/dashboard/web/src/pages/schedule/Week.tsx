import type { OpeningHours } from '@chairside/client';
import { Fragment } from 'react';
import { Button } from 'react-aria-components';
import { dayName, WEEKDAYS, type Weekday } from '../../clinics/hours.ts';
import { Field } from '../../components/forms/Field.tsx';
import { Menu } from '../../components/menus/Menu.tsx';
import { Card } from '../../components/page-parts/Card.tsx';
import { Facts } from '../../components/texts/Facts.tsx';
import { countText, minutesText } from '../../components/texts/numbers.ts';
import { type Draft, intervalsText, typed } from './hours.ts';
import { IntervalFields } from './IntervalFields.tsx';

const WORKDAYS: readonly Weekday[] = WEEKDAYS.slice(0, 5);

/** Copies the hours of a day to other days. */
const CopyDay = ({ day, onCopy }: { day: Weekday; onCopy(days: readonly Weekday[]): void }) => {
  const others = WEEKDAYS.filter((each) => each !== day);
  return (
    <Menu
      label={`Copy ${dayName(day)} to`}
      button={
        <Button className="subtle compact" aria-label={`Copy ${dayName(day)} to other days`}>
          Copy
        </Button>
      }
      actions={[
        { id: 'workdays', name: 'Monday to Friday', act: () => onCopy(WORKDAYS) },
        { id: 'all', name: 'All days', act: () => onCopy(WEEKDAYS) },
        ...others.map((each) => ({ id: each, name: dayName(each), act: () => onCopy([each]) })),
      ]}
    />
  );
};

/** Edits the hours of each weekday, the chairs and the grid of free slots. */
export const Week = ({ draft, onChange }: { draft: Draft; onChange(changed: Partial<Draft>): void }) => {
  const { weekdays, chairs, slotMinutes } = draft;
  const set = (changed: Partial<Draft['weekdays']>) => onChange({ weekdays: { ...weekdays, ...changed } });
  return (
    <>
      <Card title="Week">
        {WEEKDAYS.map((day) => (
          <IntervalFields
            key={day}
            label={dayName(day)}
            name={`weekdays.${day}`}
            value={weekdays[day]}
            onChange={(intervals) => set({ [day]: intervals })}
            end={
              <CopyDay
                day={day}
                onCopy={(days) =>
                  set(
                    Object.fromEntries(
                      days.filter((each) => each !== day).map((each) => [each, weekdays[day].map(typed)]),
                    ),
                  )
                }
              />
            }
          />
        ))}
      </Card>
      <div className="pair">
        <Field
          label="Chairs"
          name="chairs"
          type="number"
          min={1}
          max={100}
          isRequired
          description="Appointments at once, 1 to 100."
          value={chairs}
          onChange={(value) => onChange({ chairs: value })}
        />
        <Field
          label="Minutes between slots"
          name="slotMinutes"
          type="number"
          min={5}
          max={240}
          isRequired
          description="Of the starts, 5 to 240."
          value={slotMinutes}
          onChange={(value) => onChange({ slotMinutes: value })}
        />
      </div>
    </>
  );
};

/** The same, to read. */
export const WeekText = ({ hours: { weekdays, chairs, slotMinutes } }: { hours: OpeningHours }) => (
  <Card title="Week">
    <Facts>
      {WEEKDAYS.map((day) => (
        <Fragment key={day}>
          <dt>{dayName(day)}</dt>
          <dd>{intervalsText(weekdays[day])}</dd>
        </Fragment>
      ))}
      <dt>Chairs</dt>
      <dd>{countText(chairs)}</dd>
      <dt>Slots begin every</dt>
      <dd>{minutesText(slotMinutes)}</dd>
    </Facts>
  </Card>
);
