export {
  type Availability,
  type AvailabilityRefusal,
  type AvailabilityResult,
  type AvailabilitySearch,
  type AvailabilitySource,
  findAvailability,
  MAX_SLOTS,
} from './availability.ts';
export { type Booking, type BookingResult, checkBooking, NEXT_SLOTS } from './booking.ts';
export { countByDay, countWindow, type DayCount, openDayCounts } from './counts.ts';
export { type DayRange, dayRangeProblem, MAX_COUNT_DAYS, MAX_SLOT_DAYS } from './day-range.ts';
export { isKnownZone, localTimeIn } from './local-time.ts';
export { MAX_OPENING_DAYS, type OpeningDay, openingHoursOf } from './opening.ts';
export {
  type FreeSlots,
  findSlots,
  type NoSlotReason,
  noSlotReasons,
  type Occupied,
  type SlotSearch,
  type SlotSettings,
  slotWindow,
  timeProblem,
} from './slots.ts';
