import type { Appointment, CalendarBlock, Provider } from '@chairside/client';
import { coveredBy, inside, type Span, without } from '../../clinics/spans.ts';
import { isExpected, patientCount } from '../../records/appointments.ts';
import { MINUTE_MS } from './axis.ts';
import { lanesOf } from './lanes.ts';

/** An appointment with its period. */
export type Timed = Span & { appointment: Appointment };

/** A time of a provider that is not free: a block, or an appointment at another clinic. */
export type Taken = Span & {
  /** Undefined for the whole clinic. */
  providerId: string | undefined;
  /** Undefined for an appointment. */
  kind: CalendarBlock['kind'] | undefined;
  clinicId: string;
};

/** A card of an appointment. */
type Card = { is: 'card'; lane: 0 | 1; more: Timed[] } & Timed;
/** What is between the cards. */
type Ground = Span &
  (
    | { is: 'free'; canceled: Timed[] }
    /** The provider is free, but appointments fill all chairs of the clinic. */
    | { is: 'full' }
    | { is: 'taken'; taken: Taken }
    /** Outside the opening hours. `edge` is the time at which they begin or end. */
    | { is: 'closed'; edge: { word: 'starts' | 'ends'; at: number } | undefined }
  );
export type Item = Card | Ground;

/** Whose appointments a column has. */
type Owner = { is: 'provider'; _id: string; name: string | undefined } | { is: 'none' } | { is: 'all' };

export type Column = { owner: Owner; items: Item[]; patients: number };

/** What the columns of a day follow from. */
export type DayParts = {
  /** The shown part of the day. */
  axis: Span;
  /** Undefined if they were never set, or if their zone is not known. Then no time counts as free. */
  openings: readonly Span[] | undefined;
  chairs: number;
  /** The appointments, also the canceled ones. */
  appointments: readonly Timed[];
  taken: readonly Taken[];
  /** The providers of the clinic, in the order of the columns. */
  providers: readonly Pick<Provider, '_id' | 'name'>[];
};

/** Shorter times between two appointments are not pointed out. */
const MIN_GAP_MS = 5 * MINUTE_MS;

const isLong = ({ start, end }: Span): boolean => end - start >= MIN_GAP_MS;

/** Whether a time is long enough for a text of this number of lines. */
export const hasRoom = ({ start, end }: Span, lines = 1): boolean => end - start >= lines * 15 * MINUTE_MS;

/** Whether an appointment occupies a chair and its provider. */
export const isActive = ({ appointment }: Timed): boolean => isExpected(appointment);

/** Whether an appointment was canceled. */
export const isCanceled = ({ appointment: { status } }: Timed): boolean => status === 'CANCELED';

const ownersOf = ({ appointments, providers }: DayParts): Owner[] => {
  const booked = appointments.filter((each) => !isCanceled(each));
  const ids = new Set(booked.map(({ appointment }) => appointment.providerId));
  const others = [...ids].filter((id) => id !== undefined && providers.every(({ _id }) => _id !== id));
  const all: Owner[] = [
    ...providers.map(({ _id, name }): Owner => ({ is: 'provider', _id, name })),
    // A provider who has left the clinic since.
    ...others.map((_id): Owner => ({ is: 'provider', _id: String(_id), name: undefined })),
  ];
  if (all.length === 0) return [{ is: 'all' }];
  return ids.has(undefined) ? [...all, { is: 'none' }] : all;
};

const closedTimes = (axis: Span, openings: readonly Span[], cards: readonly Span[]): Ground[] =>
  without(axis, openings).flatMap((closed) => {
    const starts = closed.start === axis.start;
    const ends = closed.end === axis.end;
    const parts = without(closed, cards);
    const named = starts ? parts.at(-1) : parts[0];
    return parts.map((part): Ground => {
      if (part !== named || starts === ends) return { ...part, is: 'closed', edge: undefined };
      const edge = starts
        ? { word: 'starts' as const, at: closed.end }
        : { word: 'ends' as const, at: closed.start };
      return { ...part, is: 'closed', edge };
    });
  });

const takenTimes = (taken: readonly Taken[], open: readonly Span[], cards: readonly Span[]): Ground[] => {
  const before: Span[] = [...cards];
  return taken.flatMap((each) => {
    const parts = open
      .flatMap((opening) => inside([each], opening))
      .flatMap((part) => without(part, before))
      .map((part): Ground => ({ ...part, is: 'taken', taken: each }));
    before.push(each);
    return parts;
  });
};

const columnOf = (owner: Owner, parts: DayParts): Column => {
  const { axis, openings, chairs, appointments } = parts;
  const isOwn = ({ appointment: { providerId } }: Timed): boolean =>
    owner.is === 'all' || providerId === (owner.is === 'provider' ? owner._id : undefined);
  const own = inside(appointments.filter(isOwn), axis);
  const booked = own.filter((each) => !isCanceled(each));
  const cards = lanesOf(booked).map(({ item, lane, more }): Card => ({ ...item, is: 'card', lane, more }));
  const taken = inside(
    parts.taken.filter(
      ({ providerId }) => providerId === undefined || (owner.is === 'provider' && providerId === owner._id),
    ),
    axis,
  );
  const isOfClinic = owner.is !== 'provider' || parts.providers.some(({ _id }) => _id === owner._id);
  const hasGaps = openings !== undefined && owner.is !== 'none' && isOfClinic;
  const idle = hasGaps
    ? inside(openings, axis).flatMap((opening) => without(opening, [...booked, ...taken]))
    : [];
  const full = coveredBy(appointments.filter(isActive), chairs);
  const free = idle.flatMap((each) => without(each, full));
  const isFreed = (gap: Span) => (each: Timed) =>
    isCanceled(each) && each.start < gap.end && gap.start < each.end;
  const items: Item[] = [
    ...(openings === undefined ? [] : closedTimes(axis, openings, booked)),
    ...takenTimes(taken, openings ?? [axis], booked),
    ...idle
      .flatMap((each) => without(each, free))
      .filter(isLong)
      .map((each): Item => ({ ...each, is: 'full' })),
    ...free
      .filter(isLong)
      .map(
        (each): Item => ({ ...each, is: 'free', canceled: hasRoom(each) ? own.filter(isFreed(each)) : [] }),
      ),
    ...cards,
  ];
  return {
    owner,
    items: items.sort((a, b) => a.start - b.start),
    patients: patientCount(booked.map(({ appointment }) => appointment)),
  };
};

/**
 * The columns of a day: one for each provider, and a last one for appointments without a provider, if there are any. A
 * clinic without providers has one column.
 *
 * A time is free by the rules of the api: in opening hours, without a block and an appointment of the provider, and while
 * a chair is free. A patient who has not come leaves no free time in the column.
 */
export const columnsOf = (parts: DayParts): Column[] =>
  ownersOf(parts).map((owner) => columnOf(owner, parts));

/** A free time that has not begun, or what is left of it. */
export type FreeTime = Span & { owner: Owner };

const STEP_MS = 5 * MINUTE_MS;

/** The next free times of all columns that are long enough, from now on. */
export const nextFree = (
  columns: readonly Column[],
  { now, minMinutes, count }: { now: number; minMinutes: number; count: number },
): FreeTime[] => {
  const from = Math.ceil(now / STEP_MS) * STEP_MS;
  return columns
    .flatMap(({ owner, items }) =>
      items
        .filter(({ is }) => is === 'free')
        .map(({ start, end }) => ({ owner, start: Math.max(start, from), end })),
    )
    .filter(({ start, end }) => end - start >= minMinutes * MINUTE_MS)
    .sort((a, b) => a.start - b.start)
    .slice(0, count);
};

/** What is wrong with a request. */
export type RequestProblem =
  | { is: 'no provider' }
  | { is: 'overlap'; other: Timed }
  | { is: 'taken'; taken: Taken };

const problemsOf = (request: Timed, { appointments, taken, providers }: DayParts): RequestProblem[] => {
  const { providerId } = request.appointment;
  if (providerId === undefined) return providers.length === 0 ? [] : [{ is: 'no provider' }];
  const isMet = (span: Span): boolean => span.start < request.end && request.start < span.end;
  const other = appointments.find(
    (each) => each !== request && isActive(each) && each.appointment.providerId === providerId && isMet(each),
  );
  const block = taken.find(
    (each) => (each.providerId === undefined || each.providerId === providerId) && isMet(each),
  );
  return [
    ...(other === undefined ? [] : [{ is: 'overlap' as const, other }]),
    ...(block === undefined ? [] : [{ is: 'taken' as const, taken: block }]),
  ];
};

/** The requests of a day in the order of time, and what is wrong with them. */
export const requestsOf = (parts: DayParts): { request: Timed; problems: RequestProblem[] }[] =>
  parts.appointments
    .filter(({ appointment }) => appointment.status === 'REQUESTED')
    .sort((a, b) => a.start - b.start)
    .map((request) => ({ request, problems: problemsOf(request, parts) }));
