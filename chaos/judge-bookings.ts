import type { Occupation, RefusedBooking, Slot } from './bookings.ts';
import type { Evidence, LoggedEvent } from './evidence.ts';
import { freeTime, hindrancesOf, isDispatcher } from './history.ts';

/** How long a booking may block its time after its process was killed. */
const ABANDONED = 30_000;
/** A booking that is refused only after this time may have stood still, and blocked its time. */
const STOOD_STILL = 2000;
const BUSY_REASONS = ['fully_booked', 'provider_busy'];

const isAt = ({ start, end }: Slot, time: number): boolean => start <= time && time < end;
const overlap = (one: Slot, other: Slot): boolean => one.start < other.end && other.start < one.end;

/** Which of these slots are too many for the chairs or for a provider, in words. They all exist at the same time. */
function* conflictsOf(slots: readonly Slot[], chairs: number): Generator<string> {
  for (const { start, providerId } of slots) {
    const same = slots.filter((slot) => isAt(slot, start));
    const time = new Date(start).toISOString();
    if (same.length > chairs) yield `${same.length} appointments for ${chairs} chairs at ${time}`;
    const ofProvider = same.filter((slot) => providerId !== undefined && slot.providerId === providerId);
    if (ofProvider.length > 1) yield `${ofProvider.length} appointments of one provider at ${time}`;
  }
}

/** The times of the appointments of a clinic, as its last events say. */
const slotsOf = (events: readonly LoggedEvent[], clinic: string): Slot[] => {
  const own = events
    .filter(({ event }) => event.startsWith('appointment.'))
    .map(({ event, body }) => ({ event, data: JSON.parse(body).data }))
    .filter(({ data }) => data.clinicId === clinic)
    .toSorted((one, other) => one.data.lastEditTime.localeCompare(other.data.lastEditTime));
  const last = new Map(own.map((each) => [each.data._id, each]));
  return [...last.values()]
    .filter(({ event, data }) => event !== 'appointment.deleted' && data.status !== 'CANCELED')
    .map(({ data: { startTime, endTime, providerId } }) => ({
      ...{ start: Date.parse(startTime), end: Date.parse(endTime) },
      ...(providerId && { providerId }),
    }));
};

/** Whether the appointments that may have existed during the request leave no room for it. */
const mayBeBusy = (
  refusal: RefusedBooking,
  occupations: readonly Occupation[],
  left: readonly RefusedBooking[],
  chairs: number,
  age: (from: number, until: number) => number,
): boolean => {
  const others: Slot[] = [
    ...occupations.filter(
      ({ appointmentId, requested, released }) =>
        appointmentId !== refusal.appointmentId &&
        requested <= refusal.refused &&
        (released === undefined || released >= refusal.requested),
    ),
    ...left.filter(
      (each) =>
        each !== refusal &&
        each.requested <= refusal.refused &&
        (each.isRepeated
          ? age(each.refused, refusal.requested) < ABANDONED
          : each.refused >= refusal.requested),
    ),
  ].filter((slot) => overlap(slot, refusal));
  const { providerId, start } = refusal;
  if (providerId !== undefined && others.some((slot) => slot.providerId === providerId)) return true;
  const times = [start, ...others.map((slot) => Math.max(start, slot.start))];
  return times.some((time) => others.filter((slot) => isAt(slot, time)).length >= chairs);
};

/**
 * Checks that guarded bookings never exceeded the chairs or a provider, at the end and whenever their callers knew what
 * existed, that no time was refused that was free, and that no booking remains undecided.
 */
export function* judgeBookings({ bookings, events, drafts, downs }: Evidence): Generator<string> {
  const { clinicId, chairs, occupations, refusals } = bookings;
  for (const conflict of new Set(conflictsOf(slotsOf(events, clinicId), chairs)))
    yield `double booking at the end: ${conflict}`;
  for (const { confirmed } of occupations) {
    const certain = occupations.filter(
      (each) => each.confirmed <= confirmed && confirmed < (each.releasing ?? Number.POSITIVE_INFINITY),
    );
    for (const conflict of new Set(conflictsOf(certain, chairs)))
      yield `double booking after ${confirmed}: ${conflict}`;
  }
  const hindrances = hindrancesOf(downs, isDispatcher);
  const age = (from: number, until: number) => freeTime(hindrances, from, until);
  const left = refusals.filter(
    ({ isRepeated, requested, refused }) => isRepeated || refused - requested > STOOD_STILL,
  );
  for (const refusal of refusals) {
    const { reason, requested } = refusal;
    const slot = `${new Date(refusal.start).toISOString()} to ${new Date(refusal.end).toISOString()}`;
    if (!BUSY_REASONS.includes(reason)) yield `a booking of ${slot} was refused: ${reason}`;
    else if (!mayBeBusy(refusal, occupations, left, chairs, age))
      yield `a booking of ${slot} was refused at ${requested} although the time was free`;
  }
  if (drafts > 0) yield `${drafts} bookings are undecided`;
}
