import { Link } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { UnusableInput } from '../../api/problems.ts';
import { type Day, dayOf } from '../../clinics/days.ts';
import { lackNames, proceduresText } from '../../clinics/procedures.ts';
import { useClinicNames, useClinicZone } from '../../clinics/requests.ts';
import { useProcedureNames, useProviderNames } from '../../clinics/settings.ts';
import { formatIn } from '../../clinics/zone.ts';
import { leave, PageDialog } from '../../components/dialogs/PageDialog.tsx';
import { FormEnd } from '../../components/forms/FormEnd.tsx';
import { Note } from '../../components/states/Note.tsx';
import { CopyButton } from '../../components/texts/CopyText.tsx';
import { countText } from '../../components/texts/numbers.ts';
import { exactText } from '../../components/texts/Time.tsx';
import { tip } from '../../components/texts/tip.ts';
import { visibleText } from '../../components/texts/visible-text.ts';
import { DAY } from '../../language.ts';
import { patientCount } from '../../records/appointments.ts';
import { Contact } from '../../records/Contact.tsx';
import { patientText } from '../../records/names.ts';
import { Dismissed } from '../../session/prompts.ts';
import { type Booked, readBooked } from './booked.ts';
import type { Closing } from './closing.ts';
import { dayText } from './hours.ts';
import './BookedPatients.css';

const TIME: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };

/** The most appointments that are listed. The others are counted. */
const MAX_LISTED = 200;

/** The number of booked patients in words, such as `5 patients are booked`. */
export const bookedText = ({ appointments }: Booked): string => {
  const count = patientCount(appointments);
  return count === 1 ? '1 patient is booked' : `${countText(count)} patients are booked`;
};

/** The day of all appointments in the zone of the clinic; undefined if there are several. */
export const dayOfBooked = ({ appointments }: Booked, timeZone: string | undefined): Day | undefined => {
  const [day, ...others] = new Set(
    appointments.map(({ startTime = '' }) => dayOf(Date.parse(startTime), timeZone)),
  );
  return others.length === 0 ? day : undefined;
};

/** What the rows of booked patients say. */
const useRows = (booked: Booked, timeZone: string | undefined) => {
  const { appointments, people } = booked;
  const names = new Map([...people].map(([id, { name = '' }]) => [id, name]));
  const providerOf = useProviderNames(appointments.some(({ providerId }) => providerId !== undefined));
  const procedureOf = useProcedureNames(appointments.some(({ procedures }) => lackNames(procedures)));
  const isOneDay = dayOfBooked(booked, timeZone) !== undefined;
  const format = formatIn(timeZone, isOneDay ? TIME : { ...DAY, ...TIME });
  return appointments.slice(0, MAX_LISTED).map(({ _id, startTime = '', ...each }) => {
    const { phone } = people.get(each.patientId ?? '') ?? {};
    const provider = each.providerId === undefined ? '' : providerOf(each.providerId);
    return {
      _id,
      startTime,
      time: format?.format(Date.parse(startTime)) ?? exactText(startTime),
      name: visibleText(patientText(each.patientId, names)),
      phone,
      what: visibleText(
        [proceduresText(each.procedures, procedureOf), provider].filter((text) => text !== '').join(', '),
      ),
    };
  });
};

/** The appointments in a time that closes, with what is needed to call their patients. */
export const BookedList = ({ booked, clinicId }: { booked: Booked; clinicId: string }) => {
  const timeZone = useClinicZone(clinicId);
  const rows = useRows(booked, timeZone);
  const day = dayOfBooked(booked, timeZone);
  const more = booked.appointments.length - rows.length;
  return (
    <>
      <ol className="booked" aria-label="Booked patients">
        {rows.map(({ _id, startTime, time, name, phone, what }) => (
          <li key={_id}>
            <time dateTime={startTime} {...tip(exactText(startTime))}>
              {time}
            </time>
            <div>
              {/* What is typed on this page stays. */}
              <Link
                to="/records/$kind/$recordId"
                params={{ kind: 'appointments', recordId: _id }}
                target="_blank"
              >
                <bdi>{name}</bdi>
              </Link>
              <span className="what">{what}</span>
            </div>
            {phone !== undefined && <Contact field="phone" value={phone} of={name} />}
          </li>
        ))}
      </ol>
      <p className="booked-end">
        {more > 0 && <span>{countText(more)} more, later than these.</span>}
        {day !== undefined && (
          <Link
            to="/records/$kind"
            params={{ kind: 'appointments' }}
            search={{ day, clinicId }}
            target="_blank"
          >
            Open the day
            <ExternalLink aria-hidden="true" />
          </Link>
        )}
        <CopyButton
          of="the list"
          isNamed
          text={rows
            .map(({ time, name, phone, what }) => [time, name, phone ?? '', what].join('\t'))
            .join('\n')}
        />
      </p>
      {booked.checkedUntil !== undefined && (
        <Note tone="warning">
          <p>
            This clinic has more appointments than one check reads. Those after{' '}
            {formatIn(timeZone, DAY)?.format(Date.parse(booked.checkedUntil))} were not looked at.
          </p>
        </Note>
      )}
    </>
  );
};

type Question = {
  closing: Closing;
  booked: Booked;
  /** Whether somebody was booked while the operator looked at the list. */
  isLonger: boolean;
  isChecking: boolean;
  answer(isConfirmed: boolean): void;
};

/** The words of the question: a day that closes has its own. */
const wordsOf = ({ day }: Closing, clinic: string) =>
  day === undefined
    ? { title: `Take this time away at ${clinic}?`, submit: 'Save anyway', keep: 'Keep it open' }
    : { title: `Close ${dayText(day)} at ${clinic}?`, submit: 'Close anyway', keep: 'Keep open' };

const BookedDialog = ({ closing, booked, isLonger, isChecking, answer }: Question) => {
  const clinic = useClinicNames()(closing.clinicId);
  const { title, submit, keep } = wordsOf(closing, visibleText(clinic));
  const count = booked.appointments.length;
  return (
    <PageDialog title={title} role="alertdialog" onClose={() => answer(false)}>
      <p>
        <b>
          {bookedText(booked)} {closing.day === undefined ? 'in this time' : 'on this day'}.
        </b>{' '}
        Call them before you close it.
      </p>
      <BookedList booked={booked} clinicId={closing.clinicId} />
      <Note tone="idle">
        <p>
          Nothing is canceled by itself:{' '}
          {count === 1 ? 'the appointment stays' : `the ${countText(count)} appointments stay`}, and no
          webhook is sent. Only new bookings stop.
        </p>
      </Note>
      <FormEnd
        message={
          isLonger &&
          !isChecking && <p role="alert">Somebody was booked in the meantime: look at the list again.</p>
        }
      >
        <Button className="danger" isPending={isChecking} onPress={() => answer(true)}>
          {submit}
        </Button>
        <Button autoFocus onPress={() => leave(() => answer(false))}>
          {keep}
        </Button>
      </FormEnd>
    </PageDialog>
  );
};

/** @throws {UnusableInput} if the check fails, so that nothing is saved unseen */
const checked = async (closing: Closing): Promise<Booked> => {
  try {
    return await readBooked(closing);
  } catch (error) {
    if (error instanceof Dismissed) throw error;
    throw new UnusableInput('Could not check who is booked, so nothing is saved. Try again.');
  }
};

/**
 * Asks before a time closes in which patients are booked. The question lists them. Who is booked is read again after the
 * answer, and the question stays with a longer list if somebody was booked in the meantime.
 *
 * @returns `ask`, which returns whether the change may be saved, whether the first check is in flight, and the dialog
 */
export const useBookedQuestion = () => {
  const [isChecking, setChecking] = useState(false);
  const [question, setQuestion] = useState<Question>();
  const ask = async (closing: Closing | undefined): Promise<boolean> => {
    if (closing === undefined) return true;
    const seen = new Set<string>();
    try {
      setChecking(true);
      for (;;) {
        const booked = await checked(closing);
        setChecking(false);
        if (booked.appointments.every(({ _id }) => seen.has(_id))) return true;
        const isLonger = seen.size > 0;
        const isConfirmed = await new Promise<boolean>((answer) =>
          setQuestion({ closing, booked, isLonger, isChecking: false, answer }),
        );
        if (!isConfirmed) return false;
        setQuestion((open) => open && { ...open, isChecking: true });
        for (const { _id } of booked.appointments) seen.add(_id);
      }
    } finally {
      setChecking(false);
      setQuestion(undefined);
    }
  };
  return { ask, isChecking, dialog: question !== undefined && <BookedDialog {...question} /> };
};
