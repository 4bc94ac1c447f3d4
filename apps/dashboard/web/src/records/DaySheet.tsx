import type { Appointment, Clinic } from '@chairside/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowLeft, ArrowRight, Printer } from 'lucide-react';
import { useEffect } from 'react';
import { Button } from 'react-aria-components';
import { type Day, dayAfter, dayOf } from '../clinics/days.ts';
import { clinicsQuery } from '../clinics/requests.ts';
import { formatIn } from '../clinics/zone.ts';
import { Chip } from '../components/Chip.tsx';
import { Empty } from '../components/Empty.tsx';
import { Note } from '../components/Note.tsx';
import { useNow } from '../components/now.ts';
import { countText } from '../components/numbers.ts';
import { Problem } from '../components/Problem.tsx';
import { exactText } from '../components/Time.tsx';
import { tip } from '../components/tip.ts';
import { visibleText } from '../components/visible-text.ts';
import { Waiting } from '../components/Waiting.tsx';
import { dayQuery, type Names, namesQuery } from './requests.ts';
import { APPOINTMENT_STATUSES } from './words.ts';
import './DaySheet.css';

const TIME: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
const title = new Intl.DateTimeFormat(undefined, {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});

const proceduresText = ({ procedures }: Appointment): string =>
  procedures
    .map(({ name }) => name ?? '')
    .filter((name) => name !== '')
    .join(', ');

const nameIn = (names: Names, patientId: string | undefined): string =>
  patientId === undefined ? 'no patient' : names.get(patientId) || `Patient …${patientId.slice(-4)}`;

const Row = ({
  appointment,
  clinic,
  names,
  now,
}: {
  appointment: Appointment;
  clinic: Clinic;
  names: Names | undefined;
  now: number;
}) => {
  const { _id, patientId, startTime, endTime, status } = appointment;
  const format = formatIn(clinic.timezone, TIME) ?? new Intl.DateTimeFormat(undefined, TIME);
  const word = APPOINTMENT_STATUSES[status];
  const isPast = Date.parse(endTime ?? startTime ?? '') < now;
  const isOff = status === 'CANCELED' || status === 'NO_SHOW';
  // Until the names are read, the row keeps its height.
  const name = names === undefined ? '…' : nameIn(names, patientId);
  return (
    <li className={`appointment${isPast ? ' past' : ''}${isOff ? ' off' : ''}`}>
      <time dateTime={startTime} {...(startTime !== undefined && tip(exactText(startTime)))}>
        {startTime === undefined ? 'no time' : format.format(Date.parse(startTime))}
        <span>{endTime !== undefined && format.format(Date.parse(endTime))}</span>
      </time>
      <div>
        <Link
          className="row-link"
          to="/records/$kind/$recordId"
          params={{ kind: 'appointments', recordId: _id }}
        >
          <bdi>{visibleText(name)}</bdi>
        </Link>
        <span className="procedures">{visibleText(proceduresText(appointment))}</span>
      </div>
      <Chip tone={word?.tone ?? 'plain'}>{word?.text ?? status}</Chip>
    </li>
  );
};

/** The line between the past and the coming appointments of today. */
const NowLine = ({ now, timeZone }: { now: number; timeZone: string | undefined }) => (
  <li className="now" aria-hidden="true">
    <span>{formatIn(timeZone, TIME)?.format(now)} now</span>
  </li>
);

const ClinicDay = ({
  clinic,
  day,
  appointments,
  names,
}: {
  clinic: Clinic;
  day: Day;
  appointments: readonly Appointment[];
  names: Names | undefined;
}) => {
  const now = useNow();
  const isToday = dayOf(now, clinic.timezone) === day;
  const next = appointments.findIndex(
    ({ startTime }) => startTime !== undefined && Date.parse(startTime) > now,
  );
  const arrived = appointments.filter(({ status }) => status === 'PATIENT_ARRIVED').length;
  const position = next === -1 ? appointments.length : next;
  return (
    <section aria-labelledby={clinic._id}>
      <header>
        <h3 id={clinic._id}>{visibleText(clinic.name ?? clinic._id)}</h3>
        <span>
          {countText(appointments.length)}
          {arrived > 0 && `, of them ${countText(arrived)} arrived`}
          {clinic.timezone !== undefined && `, times of ${clinic.timezone}`}
        </span>
      </header>
      <ol>
        {appointments.slice(0, position).map((each) => (
          <Row key={each._id} appointment={each} clinic={clinic} names={names} now={now} />
        ))}
        {isToday && <NowLine now={now} timeZone={clinic.timezone} />}
        {appointments.slice(position).map((each) => (
          <Row key={each._id} appointment={each} clinic={clinic} names={names} now={now} />
        ))}
      </ol>
    </section>
  );
};

/** Controls that use the arrow keys themselves. */
const USES_ARROWS =
  'input, select, textarea, [role="slider"], [role="tab"], [role^="menu"], [role="dialog"] *';

/** Moves by a day with the arrow keys. */
const useArrows = (move: (days: number) => void): void => {
  useEffect(() => {
    const onKey = ({ key, target, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent) => {
      if (altKey || ctrlKey || metaKey || shiftKey) return;
      if (target instanceof Element && target.matches(USES_ARROWS)) return;
      if (key === 'ArrowLeft') move(-1);
      if (key === 'ArrowRight') move(1);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [move]);
};

/**
 * The appointments of one day by clinic: time, patient and status. The day is that of each clinic's zone.
 *
 * @param props.clinicId only this clinic
 * @param props.onDay shows another day; undefined for today
 */
export const DaySheet = ({
  day,
  clinicId,
  onDay,
}: {
  day: Day | undefined;
  clinicId: string | undefined;
  onDay(day: Day | undefined): void;
}) => {
  const now = useNow();
  const { data: all } = useQuery(clinicsQuery);
  const clinics = all?.filter(({ _id }) => clinicId === undefined || _id === clinicId);
  const shown = day ?? dayOf(now, clinics?.[0]?.timezone);
  const query = useQuery(dayQuery(shown, clinics, clinicId));
  const { data, error } = query;
  const { data: names, error: namesError } = useQuery(namesQuery(data?.appointments));
  useArrows((days) => onDay(dayAfter(shown, days)));
  const busy = (clinics ?? []).map((clinic) => ({
    clinic,
    appointments: (data?.appointments ?? []).filter(
      (each) =>
        each.clinicId === clinic._id && dayOf(Date.parse(each.startTime ?? ''), clinic.timezone) === shown,
    ),
  }));
  const count = busy.reduce((sum, { appointments }) => sum + appointments.length, 0);
  return (
    <>
      <div className="days">
        <Button
          className="icon"
          aria-label="Day before"
          aria-keyshortcuts="ArrowLeft"
          onPress={() => onDay(dayAfter(shown, -1))}
        >
          <ArrowLeft aria-hidden="true" />
        </Button>
        <Button className="compact" onPress={() => onDay(undefined)}>
          Today
        </Button>
        <Button
          className="icon"
          aria-label="Next day"
          aria-keyshortcuts="ArrowRight"
          onPress={() => onDay(dayAfter(shown, 1))}
        >
          <ArrowRight aria-hidden="true" />
        </Button>
        <h2 aria-live="polite">{title.format(Date.parse(`${shown}T00:00Z`))}</h2>
        <Button className="compact push" onPress={() => print()}>
          <Printer aria-hidden="true" />
          Print
        </Button>
      </div>
      <Problem error={error} again={query.refetch} />
      <Problem error={namesError} />
      {data === undefined && error === null && <Waiting of="appointments" />}
      {data?.isCut === true && (
        <Note tone="warning">
          <p>This day has more appointments than a page shows. Choose a clinic to see fewer.</p>
        </Note>
      )}
      {data !== undefined &&
        (count === 0 ? (
          <Empty title="No appointment on this day">
            <p>The arrow keys lead to the day before and to the next day.</p>
          </Empty>
        ) : (
          <div className="day-sheet">
            {busy
              .filter(({ appointments }) => appointments.length > 0)
              .map((each) => (
                <ClinicDay key={each.clinic._id} {...each} day={shown} names={names} />
              ))}
          </div>
        ))}
    </>
  );
};
