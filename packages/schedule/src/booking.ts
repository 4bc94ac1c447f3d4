import { MAX_DURATION_MINUTES } from '@chairside/domain';
import {
  type AvailabilityRefusal,
  type AvailabilitySource,
  type LocalSpan,
  searchSlots,
} from './availability.ts';
import { MAX_SLOT_DAYS, rangeFrom } from './day-range.ts';
import { isKnownZone, localDayOf, localTimeIn } from './local-time.ts';
import { type NoSlotReason, type SlotSettings, timeProblem } from './slots.ts';

const MINUTE = 60_000;
/** The number of free slots that a refused booking names. */
export const NEXT_SLOTS = 3;
/** How many days a search for them covers: each is tried if the one before has found too few. */
const NEXT_DAYS = [1, 7, MAX_SLOT_DAYS];

/** A time at which an appointment is to be booked. */
export type Booking = {
  clinicId: string;
  providerId?: string | undefined;
  startTime: Date;
  endTime: Date;
};

export type BookingResult =
  | { outcome: 'free' }
  /** The time is not free. `nextSlots` finds the first free slots of the same length, from this time on. */
  | { outcome: 'taken'; reason: NoSlotReason; nextSlots: () => Promise<LocalSpan[]> }
  | { outcome: 'refused'; refusal: Exclude<AvailabilityRefusal, 'no_procedure'> };

const findNextSlots = async (
  source: AvailabilitySource,
  { clinicId, providerId, startTime, endTime }: Booking,
  settings: SlotSettings,
  now: Date,
): Promise<LocalSpan[]> => {
  const { timezone, hours } = settings;
  const durationMinutes = Math.ceil((endTime.getTime() - startTime.getTime()) / MINUTE);
  if (!isKnownZone(timezone) || hours === undefined || durationMinutes > MAX_DURATION_MINUTES) return [];
  const from = localDayOf(timezone, startTime > now ? startTime : now);
  const local = localTimeIn(timezone);
  let next: LocalSpan[] = [];
  for (const days of NEXT_DAYS) {
    const range = rangeFrom(from, days);
    if (range === undefined) break;
    const search = { clinicId, providerId, ...range, durationMinutes };
    const found = await searchSlots(source, search, settings, now);
    if (found === undefined) break;
    const slots = found.outcome === 'found' ? found.slots : [];
    next = slots
      .filter(({ start }) => start >= startTime)
      .slice(0, NEXT_SLOTS)
      .map((slot) => ({ start: local(slot.start), end: local(slot.end) }));
    if (next.length === NEXT_SLOTS) break;
  }
  return next;
};

/**
 * Reads the settings, calendar blocks and appointments of a clinic, and checks whether an appointment can be booked; see
 * {@link timeProblem}.
 */
export const checkBooking = async (
  source: AvailabilitySource,
  booking: Booking,
  now: Date,
): Promise<BookingResult> => {
  const { clinicId, providerId, startTime, endTime } = booking;
  const range = { clinicId, providerId, from: startTime, to: endTime };
  const reading = Promise.all([
    source.findClinic(clinicId),
    source.openingHours(clinicId),
    providerId === undefined ? undefined : source.findProvider(providerId),
  ]);
  const checking = source.occupied(range, async (occupied) => {
    const [clinic, hours] = await reading;
    return { reason: timeProblem(booking, { timezone: clinic?.timezone, hours }, occupied, now) };
  });
  const [[clinic, hours, provider], checked] = await Promise.all([reading, checking]);
  if (clinic === undefined) return { outcome: 'refused', refusal: 'no_clinic' };
  if (providerId !== undefined && !provider?.clinicIds.includes(clinicId))
    return { outcome: 'refused', refusal: 'no_provider' };
  if (checked === undefined) return { outcome: 'refused', refusal: 'too_many' };
  const { reason } = checked;
  if (reason === undefined) return { outcome: 'free' };
  const settings = { timezone: clinic.timezone, hours };
  return { outcome: 'taken', reason, nextSlots: () => findNextSlots(source, booking, settings, now) };
};
