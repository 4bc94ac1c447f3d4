import type { SetOpeningHours } from '@chairside/client';
import { Button } from 'react-aria-components';
import { type ClockChange, clockChanges, hoursOfDay } from '../../clinics/clock.ts';
import type { Day } from '../../clinics/days.ts';
import { hoursOn } from '../../clinics/hours.ts';
import { Card } from '../../components/page-parts/Card.tsx';
import { countText } from '../../components/texts/numbers.ts';
import { dayText, intervalsText } from './hours.ts';

/** The changes of the clocks of this many days are shown. */
const DAYS = 365;

const clock = (local: string): string => local.slice(11);

/** What a change means for the times of its day. */
const meaningOf = ({ from, to }: ClockChange): string =>
  from < to
    ? `At ${clock(from)} the clocks go forward to ${clock(to)}. Times from ${clock(from)} to ${clock(to)} do not exist: hours that begin or end there do so at ${clock(to)}.`
    : `At ${clock(from)} the clocks go back to ${clock(to)}. Times from ${clock(to)} to ${clock(from)} exist twice: hours that begin or end there do so the first time.`;

/** The days of the next year on which the clocks of a clinic change, with the hours of these days. */
export const ClockChanges = ({
  today,
  timeZone,
  hours,
  onPreview,
}: {
  today: Day;
  timeZone: string | undefined;
  hours: SetOpeningHours;
  onPreview?: (day: Day) => void;
}) => {
  const changes = clockChanges(today, DAYS, timeZone);
  if (changes.length === 0) return null;
  return (
    <Card title="Changes of the clocks">
      <ul className="changes">
        {changes.map((change) => (
          <li key={change.from}>
            <div>
              <p className="strong">
                {dayText(change.day)}, {countText(hoursOfDay(change.day, timeZone))} hours:{' '}
                {intervalsText(hoursOn(hours, change.day))}
              </p>
              <p className="quiet small">{meaningOf(change)}</p>
            </div>
            {onPreview !== undefined && (
              <Button
                className="compact"
                aria-label={`Preview the free slots from ${dayText(change.day)}`}
                onPress={() => onPreview(change.day)}
              >
                Preview
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
};
