import type { Appointment } from '@chairside/client';
import { BLOCK_KINDS } from '../../clinics/block-kinds.ts';
import type { Day } from '../../clinics/days.ts';
import { dayOf } from '../../clinics/days.ts';
import type { Span } from '../../clinics/spans.ts';
import { timeText } from '../../clinics/zone.ts';
import { countText, nounAfter } from '../../components/texts/numbers.ts';
import { LANGUAGE } from '../../language.ts';
import { MINUTE_MS } from './axis.ts';
import type { Taken } from './columns.ts';
import type { Closure } from './opening.ts';

const formats = {
  /** `Tuesday 24 November` */
  day: new Intl.DateTimeFormat(LANGUAGE, { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' }),
  weekday: new Intl.DateTimeFormat(LANGUAGE, { weekday: 'long', timeZone: 'UTC' }),
  shortWeekday: new Intl.DateTimeFormat(LANGUAGE, { weekday: 'short', timeZone: 'UTC' }),
  /** `Mon 28 Dec` */
  short: new Intl.DateTimeFormat(LANGUAGE, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  }),
};

/** A day in words, without the comma that some versions of the browser's data have. */
export const dayText = (day: Day, form: keyof typeof formats): string =>
  formats[form].format(Date.parse(`${day}T00:00Z`)).replace(',', '');

/** The number of a day in its month. */
export const dateText = (day: Day): string => String(Number(day.slice(8)));

/** The length of a time: `45 min`, or from two hours on `4 h 30 min`. */
export const lengthText = ({ start, end }: Span): string => {
  const minutes = Math.floor((end - start) / MINUTE_MS);
  if (minutes < 120) return `${minutes} min`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
};

type Times = Pick<Appointment, 'startTime' | 'endTime'>;

/** The time at which an appointment begins. If this is on another day, with the weekday. */
export const startText = ({ startTime = '' }: Times, day: Day, timeZone: string | undefined): string =>
  textOn(startTime, day, timeZone);

/** The times of an appointment. Those on another day have their weekday. */
export const timesText = (times: Times, day: Day, timeZone: string | undefined): string => {
  const start = startText(times, day, timeZone);
  return times.endTime === undefined
    ? `from ${start}`
    : `${start} to ${textOn(times.endTime, day, timeZone)}`;
};

const textOn = (text: string, day: Day, timeZone: string | undefined): string => {
  const time = Date.parse(text);
  const own = dayOf(time, timeZone);
  const clock = timeText(time, timeZone);
  return own === day ? clock : `${dayText(own, 'shortWeekday')} ${clock}`;
};

/** Why a time is taken. */
export const takenText = ({ kind, clinicId }: Taken, clinicOf: (id: string) => string): string => {
  if (kind === undefined) return `At ${clinicOf(clinicId)}`;
  if (kind === 'BREAK') return BLOCK_KINDS.BREAK;
  return kind === 'OTHER' ? 'Blocked' : `Block: ${(BLOCK_KINDS[kind] ?? kind).toLowerCase()}`;
};

/** Why the clinic is closed on a day, as the beginning of a sentence. */
export const closureText = (closure: Closure, day: Day): string => {
  if (closure === 'weekday') return `Closed on ${dayText(day, 'weekday')}s.`;
  if (closure === 'exception') return 'Closed on this day.';
  const word = BLOCK_KINDS[closure] ?? closure;
  return closure === 'CLOSED' || closure === 'OTHER' ? 'Closed.' : `Closed: ${word.toLowerCase()}.`;
};

/** A number of patients, such as `9 patients`. */
export const patientsText = (count: number): string => `${countText(count)} ${nounAfter(count, 'patient')}`;
