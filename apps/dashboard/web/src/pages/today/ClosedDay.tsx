import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CalendarOff, Phone } from 'lucide-react';
import { timeText } from '../../clinics/zone.ts';
import { Problem } from '../../components/states/Problem.tsx';
import { useNow } from '../../components/texts/now.ts';
import { visibleText } from '../../components/texts/visible-text.ts';
import { patientCount } from '../../records/appointments.ts';
import { Contact } from '../../records/Contact.tsx';
import { phonesQuery } from '../../records/names.ts';
import { useSession } from '../../session/session.ts';
import type { Texts } from './AppointmentCard.tsx';
import { AppointmentLink } from './AppointmentLink.tsx';
import type { Timed } from './columns.ts';
import { type Closure, nextOpening, type Opening } from './opening.ts';
import { BLOCK_DAYS } from './requests.ts';
import { closureText, dayText, patientsText } from './words.ts';
import '../../components/lists/Table.css';
import '../../components/states/Note.css';
import './ClosedDay.css';

/** The days after a week for which all blocks are known, so that the next open day is right. */
const KNOWN_DAYS = BLOCK_DAYS - 7;

const Booked = ({ appointments, texts }: { appointments: readonly Timed[]; texts: Texts }) => {
  const { data: patients, error } = useQuery(phonesQuery(appointments.map(({ appointment }) => appointment)));
  const { timeZone } = texts;
  return (
    <>
      <Problem error={error} />
      <ol id="booked" className="still-booked" aria-label="Booked on this closed day">
        {appointments.map(({ appointment, start, end }) => {
          const phone = patients?.get(appointment.patientId ?? '')?.phone;
          const { providerId } = appointment;
          const what = [
            texts.proceduresOf(appointment),
            providerId === undefined ? '' : visibleText(texts.providerOf(providerId)),
          ];
          return (
            <li key={appointment._id}>
              <time dateTime={appointment.startTime}>
                {timeText(start, timeZone)}
                {appointment.endTime !== undefined && <span>{timeText(end, timeZone)}</span>}
              </time>
              <div className="clip">
                <AppointmentLink id={appointment._id} name={texts.nameOf(appointment)} />
                <span className="sub">{what.filter((each) => each !== '').join(', ')}</span>
              </div>
              {phone !== undefined && (
                <span className="call over">
                  <Phone aria-hidden="true" />
                  <Contact field="phone" value={phone} of={texts.nameOf(appointment)} />
                </span>
              )}
            </li>
          );
        })}
      </ol>
    </>
  );
};

/** A day on which the clinic is closed: why, who is booked nevertheless, and the next open day. */
export const ClosedDay = ({
  closure,
  opening,
  appointments,
  clinicId,
  texts,
  end,
}: {
  closure: Closure;
  opening: Opening;
  /** Those that are not canceled. */
  appointments: readonly Timed[];
  clinicId: string;
  texts: Texts;
  /** The end of the day. */
  end: number;
}) => {
  const { role } = useSession();
  const isPast = end <= useNow();
  const next = nextOpening(opening, texts.day, KNOWN_DAYS);
  const count = patientCount(appointments.map(({ appointment }) => appointment));
  return (
    <>
      <div role="status" className="note warning closed-band">
        <CalendarOff aria-hidden="true" />
        <div>
          <b>{closureText(closure, texts.day)}</b>{' '}
          {count > 0 && (
            <>
              <a href="#booked">
                {patientsText(count)} {count === 1 ? 'is' : 'are'} still booked
              </a>
              .{' '}
              {!isPast &&
                (role === 'administrator'
                  ? 'Call them, or open the day.'
                  : 'Call them, or ask an administrator to open the day.')}
            </>
          )}
        </div>
        <Link className="button compact" to="/schedule" search={{ tab: 'closed', clinicId }}>
          Closed days
        </Link>
      </div>
      {appointments.length > 0 && <Booked appointments={appointments} texts={texts} />}
      {next !== undefined && (
        <p className="quiet small">
          Next open day:{' '}
          <Link to="/today" search={(kept) => ({ ...kept, day: next.day })}>
            {dayText(next.day, 'short')}, {timeText(next.start, texts.timeZone)}
          </Link>
        </p>
      )}
    </>
  );
};
