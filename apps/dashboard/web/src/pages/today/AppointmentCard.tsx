import type { Appointment } from '@chairside/client';
import { Link } from '@tanstack/react-router';
import { CalendarCheck } from 'lucide-react';
import type { Day } from '../../clinics/days.ts';
import { Middle } from '../../components/texts/Middle.tsx';
import { countText } from '../../components/texts/numbers.ts';
import { tip } from '../../components/texts/tip.ts';
import { STATUS_ICONS } from '../../records/status-icons.ts';
import { APPOINTMENT_STATUSES } from '../../records/statuses.ts';
import { type Axis, MINUTE_MS, minutesOn } from './axis.ts';
import type { Item, Timed } from './columns.ts';
import { placed } from './place.ts';
import { moreId } from './stops.ts';
import { timesText } from './words.ts';
import '../../components/lists/Table.css';

/** The texts of the things that appointments name by their ids. */
export type Texts = {
  day: Day;
  timeZone: string | undefined;
  clinicOf(id: string): string;
  providerOf(id: string): string;
  /** Whether the names of patients are read. */
  hasNames: boolean;
  /** The name of the patient. */
  nameOf(appointment: Appointment): string;
  proceduresOf(appointment: Appointment): string;
};

/** The length from which a card shows the procedures, and from which the times, in minutes. */
const [PROCEDURE_MINUTES, TIMES_MINUTES] = [30, 45];
/** A shorter card is as high as one of this length. */
const MIN_MINUTES = 15;

const sizeOf = (minutes: number): string => {
  if (minutes < PROCEDURE_MINUTES) return 'small';
  return minutes < TIMES_MINUTES ? 'middle' : 'large';
};

/** The link to the appointments for which the grid has no place next to those that they overlap. */
const More = ({ card, stop, texts }: { card: CardItem; stop: string | undefined; texts: Texts }) => {
  const { more, appointment } = card;
  const all: Timed[] = [card, ...more];
  const id = moreId(appointment._id);
  const names = more.map(
    (each) => `${texts.nameOf(each.appointment)}, ${timesText(each.appointment, texts.day, texts.timeZone)}`,
  );
  return (
    <Link
      to="/records/$kind"
      params={{ kind: 'appointments' }}
      search={{
        clinicId: appointment.clinicId,
        startTime: new Date(Math.min(...all.map(({ start }) => start))).toISOString(),
        endTime: new Date(Math.max(...all.map(({ end }) => end))).toISOString(),
      }}
      className="more over"
      data-stop={id}
      tabIndex={id === stop ? 0 : -1}
      {...tip(names.join('\n'))}
    >
      +{countText(more.length)}
      <span className="hidden"> more at this time</span>
      <span className="names">{names.join('; ')}</span>
    </Link>
  );
};

type CardItem = Extract<Item, { is: 'card' }>;

/** An appointment in the grid: the patient and the status, and as much more as there is room for. */
export const AppointmentCard = ({
  card,
  axis,
  texts,
  stop,
}: {
  card: CardItem;
  axis: Axis;
  texts: Texts;
  stop: string | undefined;
}) => {
  const { appointment, start, end, lane, more } = card;
  const { _id, status } = appointment;
  const { text: word, tone } = APPOINTMENT_STATUSES[status] ?? { text: status, tone: 'plain' };
  const Icon = STATUS_ICONS[status] ?? CalendarCheck;
  const minutes = Math.max((end - start) / MINUTE_MS, MIN_MINUTES);
  const name = texts.nameOf(appointment);
  const procedures = texts.proceduresOf(appointment);
  const times = timesText(appointment, texts.day, texts.timeZone);
  const whole = [name, procedures, times, word].filter((each) => each !== '').join(', ');
  return (
    <li
      className={`visit ${tone} ${sizeOf(minutes)}${lane === 1 ? ' above' : ''}`}
      ref={placed(minutesOn(axis, start), minutes)}
      {...(texts.hasNames && tip(whole))}
    >
      <p>
        <Link
          className="row-link"
          to="/records/$kind/$recordId"
          params={{ kind: 'appointments', recordId: _id }}
          data-stop={_id}
          tabIndex={_id === stop ? 0 : -1}
        >
          <bdi>
            <Middle>{name}</Middle>
          </bdi>
        </Link>
        <Icon aria-hidden="true" />
        <span className="hidden">{word}</span>
      </p>
      <span className="sub">{procedures}</span>
      <span className="sub times">{times}</span>
      {more.length > 0 && <More card={card} stop={stop} texts={texts} />}
    </li>
  );
};
