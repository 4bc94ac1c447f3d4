import { BusyTimes, type OpeningHours, type Procedure, type Provider } from '@chairside/domain';
import type { DayRange } from './day-range.ts';
import { isKnownZone, localTimeIn } from './local-time.ts';
import { openingHoursOf } from './opening.ts';
import {
  type FreeSlots,
  findSlots,
  type NoSlotReason,
  type Occupied,
  type SlotSearch,
  type SlotSettings,
  slotWindow,
} from './slots.ts';

/**
 * Maximum number of slots in a result. It is more than the free slots of one day, so that a search that starts again on
 * the day of the last slot makes progress: 12 slots an hour in a day of 26 hours (Antarctica/Troll, when summer time
 * ends), and at most one more for each of the 48 opening intervals of a day, because each begins a grid of its own.
 */
export const MAX_SLOTS = 26 * 12 + 48;

/** A search for free slots: for a procedure or for a number of minutes. Exactly one of the two is given. */
export type AvailabilitySearch = DayRange & {
  clinicId: string;
  procedureId?: string | undefined;
  durationMinutes?: number | undefined;
  providerId?: string | undefined;
};

type ProviderRange = { clinicId: string; from: Date; to: Date; providerId?: string | undefined };

/** What a search reads. The caller binds it to an organization. */
export type AvailabilitySource = {
  findClinic(clinicId: string): Promise<{ _id: string; timezone?: string | undefined } | undefined>;
  openingHours(clinicId: string): Promise<OpeningHours | undefined>;
  findProcedure(procedureId: string): Promise<Procedure | undefined>;
  findProvider(providerId: string): Promise<Provider | undefined>;
  /**
   * Calls `find` with the blocks and appointments that overlap a range, and returns its result; undefined if there are too
   * many.
   */
  occupied<T>(range: ProviderRange, find: (occupied: Occupied) => T | Promise<T>): Promise<T | undefined>;
};

/** A span of local time with its offset from UTC, such as `2030-01-31T09:30:00+01:00`. */
export type LocalSpan = { start: string; end: string };

/** The free slots of a range of days, in local time of the clinic. */
export type Availability = {
  /** Absent if the clinic has none. */
  timeZone?: string | undefined;
  /** The length of each slot. */
  durationMinutes: number;
  /** At most {@link MAX_SLOTS} free slots in the order of time. They may overlap each other. */
  slots: LocalSpan[];
  /** Whether there are more slots. A search from the day of the last slot finds them. */
  isCut: boolean;
  /** When the clinic is open on each day. Empty if the hours were never set, or if the time zone is not known. */
  openingHours: { date: string; intervals: LocalSpan[] }[];
  /** Why there is no slot. */
  reason?: NoSlotReason;
};

/**
 * Why a search is refused:
 *
 * - `no_clinic`: there is no such clinic
 * - `no_procedure`: the clinic offers no such procedure
 * - `no_provider`: no such provider works at the clinic
 * - `too_many`: there are too many appointments or calendar blocks on these days
 */
export type AvailabilityRefusal = 'no_clinic' | 'no_procedure' | 'no_provider' | 'too_many';

export type AvailabilityResult =
  | { outcome: 'found'; availability: Availability }
  | { outcome: 'refused'; refusal: AvailabilityRefusal };

const refused = (refusal: AvailabilityRefusal): AvailabilityResult => ({ outcome: 'refused', refusal });

const isOffered = (procedure: Procedure | undefined, clinicId: string): procedure is Procedure =>
  procedure !== undefined && (procedure.clinicIds?.includes(clinicId) ?? true);

/** Reads what a search needs. @returns undefined if there are too many blocks or appointments to read */
export const searchSlots = async (
  source: AvailabilitySource,
  wanted: SlotSearch,
  settings: SlotSettings,
  now: Date,
): Promise<FreeSlots | undefined> => {
  const window = settings.hours && slotWindow(settings.timezone, wanted);
  const { clinicId, providerId } = wanted;
  const find = (occupied: Occupied) => findSlots(wanted, settings, occupied, now);
  if (window === undefined) return find({ blocks: [], busy: new BusyTimes(wanted) });
  return source.occupied({ clinicId, providerId, ...window }, find);
};

const availabilityOf = (
  wanted: SlotSearch,
  { timezone, hours }: SlotSettings,
  found: FreeSlots,
): Availability => {
  const { durationMinutes } = wanted;
  const reason = found.outcome === 'none' ? { reason: found.reason } : {};
  if (!isKnownZone(timezone))
    return { timeZone: timezone, durationMinutes, slots: [], isCut: false, openingHours: [], ...reason };
  const local = localTimeIn(timezone);
  const inLocalTime = (spans: readonly { start: Date; end: Date }[]): LocalSpan[] =>
    spans.map(({ start, end }) => ({ start: local(start), end: local(end) }));
  const slots = found.outcome === 'found' ? found.slots : [];
  const openings = hours === undefined ? [] : openingHoursOf({ hours, timezone }, wanted);
  return {
    timeZone: timezone,
    durationMinutes,
    slots: inLocalTime(slots.slice(0, MAX_SLOTS)),
    isCut: slots.length > MAX_SLOTS,
    openingHours: openings.map(({ date, intervals }) => ({ date, intervals: inLocalTime(intervals) })),
    ...reason,
  };
};

/**
 * Reads the settings, calendar blocks and appointments of a clinic, and finds its free slots; see {@link findSlots}.
 *
 * @param wanted at most `MAX_SLOT_DAYS` days
 * @throws {RangeError} if the range or the duration is not valid
 */
export const findAvailability = async (
  source: AvailabilitySource,
  wanted: AvailabilitySearch,
  now: Date,
): Promise<AvailabilityResult> => {
  const { clinicId, procedureId, providerId } = wanted;
  const [clinic, hours, procedure, provider] = await Promise.all([
    source.findClinic(clinicId),
    source.openingHours(clinicId),
    procedureId === undefined ? undefined : source.findProcedure(procedureId),
    providerId === undefined ? undefined : source.findProvider(providerId),
  ]);
  if (clinic === undefined) return refused('no_clinic');
  if (procedureId !== undefined && !isOffered(procedure, clinicId)) return refused('no_procedure');
  if (providerId !== undefined && !provider?.clinicIds.includes(clinicId)) return refused('no_provider');

  const durationMinutes = procedure?.durationMinutes ?? wanted.durationMinutes ?? 0;
  const slotSearch = { clinicId, from: wanted.from, to: wanted.to, durationMinutes, providerId };
  const settings = { timezone: clinic.timezone, hours };
  const found = await searchSlots(source, slotSearch, settings, now);
  if (found === undefined) return refused('too_many');
  return { outcome: 'found', availability: availabilityOf(slotSearch, settings, found) };
};
