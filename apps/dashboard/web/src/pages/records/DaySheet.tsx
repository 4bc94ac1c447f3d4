import type { Appointment, CalendarBlock, Clinic } from '@chairside/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowLeft, ArrowRight, Printer } from 'lucide-react';
import { useEffect } from 'react';
import { Button } from 'react-aria-components';
import { type Day, dayAfter, dayOf, startOf } from '../../clinics/days.ts';
import { lackNames, proceduresText } from '../../clinics/procedures.ts';
import { clinicsQuery } from '../../clinics/requests.ts';
import {
  BLOCK_KINDS,
  type NameOf,
  useProcedureNames,
  useProviderNames,
  WHOLE_CLINIC,
} from '../../clinics/settings.ts';
import { formatIn } from '../../clinics/zone.ts';
import { Empty } from '../../components/states/Empty.tsx';
import { Note } from '../../components/states/Note.tsx';
import { Problem } from '../../components/states/Problem.tsx';
import { Waiting } from '../../components/states/Waiting.tsx';
import { Chip } from '../../components/texts/Chip.tsx';
import { useNow } from '../../components/texts/now.ts';
import { exactText } from '../../components/texts/Time.tsx';
import { tip } from '../../components/texts/tip.ts';
import { visibleText } from '../../components/texts/visible-text.ts';
import { LANGUAGE, MINUTE } from '../../language.ts';
import { useSession } from '../../session/session.ts';
import { DayField } from './DayField.tsx';
import { dayQuery, type Names, namesQuery } from './requests.ts';
import { APPOINTMENT_STATUSES, appointmentsText } from './words.ts';
import './DaySheet.css';

const TIME: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
const title = new Intl.DateTimeFormat(LANGUAGE, {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});

const nameIn = (names: Names, patientId: string | undefined): string =>
  patientId === undefined ? 'no patient' : names.get(patientId) || `Patient …${patientId.slice(-4)}`;

/** The names that the rows of a day show. */
type DayNames = { patients: Names | undefined; providerOf: NameOf; procedureOf: NameOf };

const timeFormat = ({ timezone }: Clinic): Intl.DateTimeFormat =>
  formatIn(timezone, TIME) ?? new Intl.DateTimeFormat(LANGUAGE, TIME);

const Row = ({
  appointment,
  clinic,
  names,
  now,
}: {
  appointment: Appointment;
  clinic: Clinic;
  names: DayNames;
  now: number;
}) => {
  const { _id, patientId, providerId, procedures, startTime, endTime, status } = appointment;
  const format = timeFormat(clinic);
  const word = APPOINTMENT_STATUSES[status];
  const isPast = Date.parse(endTime ?? startTime ?? '') < now;
  const isOff = status === 'CANCELED' || status === 'NO_SHOW';
  // Until the names are read, the row keeps its height.
  const name = names.patients === undefined ? '…' : nameIn(names.patients, patientId);
  const what = [
    proceduresText(procedures, names.procedureOf),
    providerId === undefined ? '' : names.providerOf(providerId),
  ];
  return (
    <li className={`appointment${isPast ? ' past' : ''}${isOff ? ' off' : ''}`}>
      <time dateTime={startTime} {...(startTime !== undefined && tip(exactText(startTime)))}>
        {startTime === undefined ? 'no time' : format.format(Date.parse(startTime))}
        {endTime !== undefined && <span>{format.format(Date.parse(endTime))}</span>}
      </time>
      <div>
        <Link
          className="row-link"
          to="/records/$kind/$recordId"
          params={{ kind: 'appointments', recordId: _id }}
        >
          <bdi>{visibleText(name)}</bdi>
        </Link>
        <span className="what">{visibleText(what.filter((each) => each !== '').join(' · '))}</span>
      </div>
      <Chip tone={word?.tone ?? 'plain'}>{word?.text ?? status}</Chip>
    </li>
  );
};

/** A time without appointments: the part of it on this day. */
const BlockRow = ({
  block: { kind, providerId, startTime, endTime },
  clinic,
  day,
  providerOf,
}: {
  block: CalendarBlock;
  clinic: Clinic;
  day: Day;
  providerOf: NameOf;
}) => {
  const format = timeFormat(clinic);
  const isBefore = Date.parse(startTime) < startOf(day, clinic.timezone);
  const isAfter = Date.parse(endTime) >= startOf(dayAfter(day, 1), clinic.timezone);
  return (
    <li className="appointment block">
      <time dateTime={startTime} {...tip(`${exactText(startTime)}\n${exactText(endTime)}`)}>
        {isBefore && isAfter ? (
          'all day'
        ) : (
          <>
            {isBefore ? '00:00' : format.format(Date.parse(startTime))}
            <span>{isAfter ? '24:00' : format.format(Date.parse(endTime))}</span>
          </>
        )}
      </time>
      <div>
        {BLOCK_KINDS[kind] ?? kind}
        <span className="what">
          {visibleText(providerId === undefined ? WHOLE_CLINIC : providerOf(providerId))}
        </span>
      </div>
      <Chip tone="plain">Block</Chip>
    </li>
  );
};

/** The line between the past and the coming appointments of today. */
const NowLine = ({ now, timeZone }: { now: number; timeZone: string | undefined }) => (
  <li className="now" aria-hidden="true">
    <span>{formatIn(timeZone, TIME)?.format(now)} now</span>
  </li>
);

type DayOfClinic = {
  clinic: Clinic;
  appointments: readonly Appointment[];
  blocks: readonly CalendarBlock[];
};

/** The rows of a clinic in the order of their starts. */
const ClinicDay = ({
  clinic,
  day,
  appointments,
  blocks,
  names,
}: DayOfClinic & { day: Day; names: DayNames }) => {
  const now = useNow();
  const isToday = dayOf(now, clinic.timezone) === day;
  const rows = [
    ...blocks.map((block) => ({
      start: Date.parse(block.startTime),
      row: <BlockRow key={block._id} block={block} clinic={clinic} day={day} providerOf={names.providerOf} />,
    })),
    ...appointments.map((each) => ({
      start: Date.parse(each.startTime ?? ''),
      row: <Row key={each._id} appointment={each} clinic={clinic} names={names} now={now} />,
    })),
  ].sort((a, b) => a.start - b.start);
  const next = rows.findIndex(({ start }) => start > now);
  const position = next === -1 ? rows.length : next;
  return (
    <section aria-labelledby={clinic._id}>
      <header>
        <h3 id={clinic._id}>{visibleText(clinic.name ?? clinic._id)}</h3>
        <span>
          {appointmentsText(appointments)}
          {clinic.timezone !== undefined && `, times of ${clinic.timezone}`}
        </span>
      </header>
      <ol>
        {rows.slice(0, position).map(({ row }) => row)}
        {isToday && <NowLine now={now} timeZone={clinic.timezone} />}
        {rows.slice(position).map(({ row }) => row)}
      </ol>
    </section>
  );
};

const printed = new Intl.DateTimeFormat(LANGUAGE, MINUTE);

/** What only the printed page says: for which practice and clinic it is, and who printed it when. */
const PaperLine = ({ clinics }: { clinics: readonly Clinic[] }) => {
  const now = useNow();
  const { email, name = email, organization } = useSession();
  const names = [
    organization.name,
    ...(clinics.length === 1 ? clinics.map(({ name, _id }) => name ?? _id) : []),
  ];
  return (
    <p className="paper">
      <b>{names.map(visibleText).join(', ')}</b>
      <span>
        Printed {printed.format(now)}
        {name !== undefined && ` by ${visibleText(name)}`}
      </span>
    </p>
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
 * The appointments and blocks of one day by clinic: time, patient, procedures, provider and status. The day is that of each clinic's zone.
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
  const { data: patients, error: namesError } = useQuery(namesQuery(data?.appointments));
  const { appointments = [], blocks = [] } = data ?? {};
  const names: DayNames = {
    patients,
    providerOf: useProviderNames(
      [...appointments, ...blocks].some(({ providerId }) => providerId !== undefined),
    ),
    procedureOf: useProcedureNames(appointments.some(({ procedures }) => lackNames(procedures))),
  };
  useArrows((days) => onDay(dayAfter(shown, days)));
  const busy = (clinics ?? [])
    .map((clinic): DayOfClinic => {
      const { _id, timezone } = clinic;
      const [start, end] = [startOf(shown, timezone), startOf(dayAfter(shown, 1), timezone)];
      return {
        clinic,
        appointments: appointments.filter(
          (each) => each.clinicId === _id && dayOf(Date.parse(each.startTime ?? ''), timezone) === shown,
        ),
        blocks: blocks.filter(
          (each) =>
            each.clinicId === _id && Date.parse(each.startTime) < end && Date.parse(each.endTime) > start,
        ),
      };
    })
    .filter((each) => each.appointments.length + each.blocks.length > 0);
  return (
    <>
      <PaperLine clinics={clinics ?? []} />
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
        <DayField day={shown} onDay={onDay} />
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
        (busy.length === 0 ? (
          <Empty title="No appointment on this day">
            <p>The arrow keys lead to the day before and to the next day.</p>
          </Empty>
        ) : (
          <div className="day-sheet">
            {busy.map((each) => (
              <ClinicDay key={each.clinic._id} {...each} day={shown} names={names} />
            ))}
          </div>
        ))}
      <p className="paper end">Personal data. Shred after use.</p>
    </>
  );
};
