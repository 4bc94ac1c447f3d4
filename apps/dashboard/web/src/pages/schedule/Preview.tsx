import type { Availability, OpeningHours, SetOpeningHours } from '@chairside/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { hoursOfDay } from '../../clinics/clock.ts';
import { type Day, dayAfter, isDay } from '../../clinics/days.ts';
import { PageDialog } from '../../components/dialogs/PageDialog.tsx';
import { Field } from '../../components/forms/Field.tsx';
import { Problem } from '../../components/states/Problem.tsx';
import { Waiting } from '../../components/states/Waiting.tsx';
import { Chip } from '../../components/texts/Chip.tsx';
import { countText } from '../../components/texts/numbers.ts';
import { BookedList, bookedText } from './BookedPatients.tsx';
import { bookedQuery } from './booked.ts';
import { closingOfHours } from './closing.ts';
import { dayText } from './hours.ts';
import { PREVIEW_DAYS, previewQuery } from './requests.ts';
import './Schedule.css';

/** Why there is no slot, in words. */
const REASONS: Readonly<Record<NonNullable<Availability['reason']>, string>> = {
  no_time_zone: 'The clinic has no time zone that is known.',
  no_opening_hours: 'The opening hours were never set.',
  closed: 'The clinic is closed on these days.',
  too_long: 'No opening is as long as the slot.',
  past: 'All slots of these days have begun.',
  blocked: 'Blocks cover all slots.',
  fully_booked: 'Appointments fill all chairs.',
  provider_busy: 'The provider is busy.',
};

type Slot = Availability['slots'][number];

const clock = ({ start }: Slot): string => start.slice(11, 16);

/** The start of a slot. If the clocks show this time twice, with its offset from UTC. */
const startText = (slot: Slot, ofDay: readonly Slot[]): string => {
  const isTwice = ofDay.some((each) => each !== slot && clock(each) === clock(slot));
  return isTwice ? `${clock(slot)} (UTC${slot.start.slice(19)})` : clock(slot);
};

const onDay = (slots: readonly Slot[], day: Day): Slot[] =>
  slots.filter(({ start }) => start.startsWith(day));

const PreviewedDay = ({
  day,
  timeZone,
  before,
  after,
}: {
  day: Day;
  timeZone: string | undefined;
  before: readonly Slot[];
  after: readonly Slot[];
}) => {
  const length = hoursOfDay(day, timeZone);
  return (
    <li className={before.length === after.length ? undefined : 'changed'}>
      <span className="strong">
        {dayText(day)} {length !== 24 && <Chip tone="info">{countText(length)} hours</Chip>}
      </span>
      <span className="counts">
        {countText(before.length)} now, <b>{countText(after.length)} after saving</b>
      </span>
      {after.length > 0 && (
        <details>
          <summary>Starts after saving</summary>
          <p className="starts">{after.map((slot) => startText(slot, after)).join('  ')}</p>
        </details>
      )}
    </li>
  );
};

const LENGTH = /^(?:[1-9]\d{0,2}|1[0-3]\d\d|14[0-3]\d|1440)$/;

/** Who is booked in the times of a week that the hours on the page close. */
const BookedInWeek = ({
  clinicId,
  timeZone,
  stored,
  hours,
  from,
}: {
  clinicId: string;
  timeZone: string | undefined;
  stored: OpeningHours | undefined;
  hours: SetOpeningHours;
  from: Day;
}) => {
  const days = { first: from, last: dayAfter(from, PREVIEW_DAYS - 1) };
  const closing = closingOfHours({ clinicId, timeZone }, stored, hours, { now: Date.now(), days });
  const { data, error, refetch } = useQuery(bookedQuery(closing, [clinicId, stored, hours, from]));
  if (error !== null) return <Problem error={error} again={refetch} />;
  if (data === undefined || data.appointments.length === 0) return null;
  return (
    <>
      <p>
        <b>{bookedText(data)} in times that close.</b> Their appointments stay.
      </p>
      <BookedList booked={data} clinicId={clinicId} />
    </>
  );
};

/** The free slots of a week, now and with the hours on the page. Appointments and blocks are those of now. */
export const Preview = ({
  clinicId,
  timeZone,
  stored,
  hours,
  first,
  onClose,
}: {
  clinicId: string;
  timeZone: string | undefined;
  stored: OpeningHours | undefined;
  hours: SetOpeningHours;
  first: Day;
  onClose(): void;
}) => {
  const [from, setFrom] = useState<string>(first);
  const [minutes, setMinutes] = useState('30');
  const isReady = isDay(from) && LENGTH.test(minutes);
  const query = useQuery({
    ...previewQuery(clinicId, hours, from, Number(minutes)),
    enabled: isReady,
  });
  const { data, error } = query;
  return (
    <PageDialog title="Free slots after saving" onClose={onClose} isDismissable>
      <p className="quiet small">
        Seven days, between the present appointments and blocks. Nothing is saved yet.
      </p>
      <div className="pair">
        <Field label="First day" type="date" hasLine={false} value={from} onChange={setFrom} />
        <Field
          label="Minutes of a slot"
          type="number"
          min={1}
          max={1440}
          hasLine={false}
          value={minutes}
          onChange={setMinutes}
        />
      </div>
      <div className="preview">
        {!isReady && <p>Choose a day, and a length from 1 to 1440 minutes.</p>}
        <Problem error={error} again={query.refetch} />
        {isReady && data === undefined && error === null && (
          <Waiting of="free slots" onRetry={() => void query.refetch()} />
        )}
        {data !== undefined && (
          <>
            <p role="status">
              {countText(data.before.slots.length)} free slots now,{' '}
              <b>{countText(data.after.slots.length)} after saving</b>.{' '}
              {data.after.reason !== undefined && REASONS[data.after.reason]}
            </p>
            <BookedInWeek clinicId={clinicId} timeZone={timeZone} stored={stored} hours={hours} from={from} />
            <ol className="previewed">
              {Array.from({ length: PREVIEW_DAYS }, (_, index) => dayAfter(from, index)).map((day) => (
                <PreviewedDay
                  key={day}
                  day={day}
                  timeZone={timeZone}
                  before={onDay(data.before.slots, day)}
                  after={onDay(data.after.slots, day)}
                />
              ))}
            </ol>
          </>
        )}
      </div>
      <div className="buttons dialog-buttons">
        <Button onPress={onClose}>Close</Button>
      </div>
    </PageDialog>
  );
};
