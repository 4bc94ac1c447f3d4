import type { Appointment, Clinic } from '@chairside/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Printer } from 'lucide-react';
import { type KeyboardEvent, useEffect, useMemo } from 'react';
import { Button } from 'react-aria-components';
import { ChooseClinic, ClinicSwitch } from '../../clinics/ClinicSwitch.tsx';
import { clockOf, type Day, dayOf } from '../../clinics/days.ts';
import { lackNames, proceduresText } from '../../clinics/procedures.ts';
import { clinicOf, remember } from '../../clinics/remembered.ts';
import { requestCountQuery } from '../../clinics/request-count.ts';
import { clinicsQuery, useClinicNames } from '../../clinics/requests.ts';
import { useProcedureNames, useProviderNames } from '../../clinics/settings.ts';
import { isKnownZone, timeText } from '../../clinics/zone.ts';
import { PageHeading } from '../../components/page-parts/PageHeading.tsx';
import { Note } from '../../components/states/Note.tsx';
import { Problem } from '../../components/states/Problem.tsx';
import { RefreshButton } from '../../components/states/RefreshButton.tsx';
import { Waiting } from '../../components/states/Waiting.tsx';
import { useNow } from '../../components/texts/now.ts';
import { countText } from '../../components/texts/numbers.ts';
import { visibleText } from '../../components/texts/visible-text.ts';
import { namesQuery, patientText } from '../../records/names.ts';
import { STATUS_ICONS } from '../../records/status-icons.ts';
import { APPOINTMENT_STATUSES } from '../../records/statuses.ts';
import { useSession } from '../../session/session.ts';
import type { Texts } from './AppointmentCard.tsx';
import { ClosedDay } from './ClosedDay.tsx';
import { isActive, isCanceled, type Timed } from './columns.ts';
import { DayGrid, EmptyGrid } from './DayGrid.tsx';
import { Desk } from './Desk.tsx';
import { GoToDate } from './GoToDate.tsx';
import { closureOf, type Opening } from './opening.ts';
import { readDay } from './read-day.ts';
import { type ShownDay, useDay } from './use-day.ts';
import { Week } from './Week.tsx';
import { dayText } from './words.ts';
import './TodayPage.css';

/** Names the zone of the times, if the clocks of the reader show others. */
const OtherZone = ({ timeZone }: { timeZone: string | undefined }) => {
  const now = useNow();
  const isOther = timeZone !== undefined && clockOf(now, timeZone) !== clockOf(now, undefined);
  return isOther ? <span>Times of {timeZone}.</span> : null;
};

/** What only the printed page says: the day, the clinic, and who printed it when. */
const PaperLine = ({ day, clinic }: { day: Day; clinic: Clinic }) => {
  const now = useNow();
  const { email, name = email, organization } = useSession();
  const places = [clinic.name ?? clinic._id, organization.name].map(visibleText).join(', ');
  return (
    <p className="paper">
      <b>
        {dayText(day, 'day')} {day.slice(0, 4)}
      </b>
      <span>
        {places}. Printed {timeText(now, clinic.timezone)}
        {name !== undefined && ` by ${visibleText(name)}`}
      </span>
    </p>
  );
};

const COUNTED = ['PATIENT_ARRIVED', 'SCHEDULED', 'REQUESTED', 'NO_SHOW'] as const;

/** The appointments of the day in numbers, whose icons and colours are those of the cards. */
const Tally = ({ appointments }: { appointments: readonly Timed[] }) => {
  if (appointments.every(isCanceled)) return <p className="tally">No appointments</p>;
  return (
    <ul className="tally" aria-label="Appointments of the day">
      {COUNTED.map((wanted) => {
        const { text, tone } = APPOINTMENT_STATUSES[wanted];
        const Icon = STATUS_ICONS[wanted];
        const count = appointments.filter(({ appointment: { status } }) => status === wanted).length;
        return (
          <li key={wanted} className={tone}>
            <Icon aria-hidden="true" />
            <b>{countText(count)}</b> {text.toLowerCase()}
          </li>
        );
      })}
    </ul>
  );
};

/** The texts of the things that the appointments of a day name. */
const useTexts = (day: Day, { timezone }: Clinic, appointments: readonly Timed[]) => {
  const records = useMemo(() => appointments.map(({ appointment }) => appointment), [appointments]);
  const { data: names, error } = useQuery(namesQuery(records));
  const procedureOf = useProcedureNames(records.some(({ procedures }) => lackNames(procedures)));
  const texts: Texts = {
    day,
    timeZone: timezone,
    clinicOf: useClinicNames(),
    providerOf: useProviderNames(true),
    hasNames: names !== undefined,
    nameOf: ({ patientId }: Appointment) => visibleText(patientText(patientId, names)),
    proceduresOf: ({ procedures }: Appointment) => visibleText(proceduresText(procedures, procedureOf)),
  };
  return { texts, error };
};

/** Why no free times are shown. */
const NoHours = ({ clinic, opening }: { clinic: Clinic; opening: Opening }) => {
  const { timezone } = clinic;
  const { role } = useSession();
  if (timezone === undefined || !isKnownZone(timezone))
    return (
      <Note tone="info">
        <p>
          The time zone of this clinic is not known. Times are those of your device, and no free times are
          shown.
        </p>
      </Note>
    );
  if (opening.hours !== undefined) return null;
  return (
    <Note tone="info">
      <p>
        The opening hours of this clinic were never set, so no free times are shown.{' '}
        {role === 'administrator' && (
          <Link to="/schedule" search={{ clinicId: clinic._id }}>
            Set the opening hours
          </Link>
        )}
      </p>
    </Note>
  );
};

const Content = ({
  clinic,
  day,
  isToday,
  opening,
  shown,
}: {
  clinic: Clinic;
  day: Day;
  isToday: boolean;
  opening: Opening;
  shown: ShownDay;
}) => {
  const { texts, error } = useTexts(day, clinic, shown.appointments);
  const closure = closureOf(opening, day);
  if (closure !== undefined)
    return (
      <ClosedDay
        closure={closure}
        opening={opening}
        appointments={shown.appointments.filter(isActive)}
        clinicId={clinic._id}
        texts={texts}
        end={shown.end}
      />
    );
  const { openings } = shown.parts;
  const [first, last] = [openings?.[0], openings?.at(-1)];
  const hours =
    first && last && `${timeText(first.start, clinic.timezone)} to ${timeText(last.end, clinic.timezone)}`;
  return (
    <>
      <Problem error={error} />
      <NoHours clinic={clinic} opening={opening} />
      <div className="desk-day">
        <DayGrid
          key={clinic._id}
          axis={shown.axis}
          columns={shown.columns}
          hours={hours}
          texts={texts}
          isToday={isToday}
        />
        <Desk day={shown} clinicId={clinic._id} texts={texts} isToday={isToday} />
      </div>
    </>
  );
};

/**
 * The day of a clinic: who comes, who has come, where is room, and the requests to confirm.
 *
 * The page does not follow what happens by itself, because each read of appointments leaves an audit entry.
 */
export const TodayPage = () => {
  const search = useSearch({ from: '/signed-in/today' });
  const navigate = useNavigate({ from: '/today' });
  const queries = useQueryClient();
  const list = useQuery(clinicsQuery);
  const { data: clinics } = list;
  const clinic = clinicOf(clinics ?? [], search.clinicId);
  const today = dayOf(useNow(), clinic?.timezone);
  const day = readDay(search.day) ?? today;
  const isToday = day === today;
  const query = useDay(clinic, day);
  const { opening, day: shown } = query;
  const requests = shown?.appointments.filter(({ appointment: { status } }) => status === 'REQUESTED').length;
  useEffect(() => {
    if (isToday && requests !== undefined) queries.setQueryData(requestCountQuery.queryKey, requests);
  }, [queries, isToday, requests]);
  const choose = (clinicId: string) => {
    remember('clinic', clinicId);
    void navigate({ search: (kept) => ({ ...kept, clinicId }) });
  };
  const showDay = (other: Day | undefined) => void navigate({ search: (kept) => ({ ...kept, day: other }) });
  const showToday = () => {
    if (isToday) void query.refetch();
    showDay(undefined);
  };
  const onKeyDown = ({ key, altKey, ctrlKey, metaKey, shiftKey, target }: KeyboardEvent) => {
    if (altKey || ctrlKey || metaKey || shiftKey || key.toLowerCase() !== 't') return;
    if (target instanceof Element && target.matches('.week *, .day-grid *')) showToday();
  };
  const title =
    isToday || day.slice(0, 4) === today.slice(0, 4)
      ? dayText(day, 'day')
      : `${dayText(day, 'day')} ${day.slice(0, 4)}`;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the key is an addition to the button Today
    <div className="today" onKeyDown={onKeyDown}>
      <PageHeading
        title="Today"
        shown={<span aria-live="polite">{title}</span>}
        note={
          clinics && (
            <>
              <ClinicSwitch clinics={clinics} clinic={clinic} onChoose={choose} />
              <OtherZone timeZone={clinic?.timezone} />
            </>
          )
        }
        actions={
          clinic && (
            <>
              <GoToDate day={day} onDay={showDay} />
              <Button onPress={() => print()}>
                <Printer aria-hidden="true" />
                Print
              </Button>
              <RefreshButton query={query} />
            </>
          )
        }
      >
        {title}
      </PageHeading>
      {clinics === undefined && list.error !== null && <Problem error={list.error} again={list.refetch} />}
      {clinics === undefined && list.error === null && <Waiting of="clinics" />}
      {clinics !== undefined && clinic === undefined && (
        <ChooseClinic clinics={clinics} isUnknown={search.clinicId !== undefined} onChoose={choose} />
      )}
      {clinic !== undefined && (
        <>
          <PaperLine day={day} clinic={clinic} />
          <Week day={day} monday={query.monday} opening={opening} isToday={isToday} onToday={showToday}>
            {shown && opening && closureOf(opening, day) === undefined && (
              <Tally appointments={shown.appointments} />
            )}
          </Week>
          <Problem error={query.error} again={query.refetch} />
          {shown && opening && (
            <Content clinic={clinic} day={day} isToday={isToday} opening={opening} shown={shown} />
          )}
          {!shown && query.error === null && (
            <Waiting of="appointments">
              <EmptyGrid names={query.providers} />
            </Waiting>
          )}
          <p className="paper end">Personal data. Shred after use.</p>
        </>
      )}
    </div>
  );
};
