import {
  type Appointment,
  clock,
  conflict,
  type Issue,
  type Refusal,
  validationError,
} from '@chairside/domain';
import type { CheckTime, ReservedIds } from '@chairside/mongodb';
import { type BookingResult, checkBooking, type NoSlotReason } from '@chairside/schedule';
import { missingReference } from '../http/further-issues.ts';
import { idempotencyKeyOf } from '../http/idempotency-key.ts';
import { readForCaller } from '../http/read-for-caller.ts';
import type { CreateBy, EditBy, WriteCall } from '../records/writer.ts';

const REASONS: Readonly<Record<NoSlotReason, string>> = {
  no_time_zone: 'the clinic has no time zone',
  no_opening_hours: 'the opening hours of the clinic were never set',
  closed: 'the clinic is closed',
  too_long: 'the appointment ends after the clinic closes',
  past: 'it has begun',
  blocked: 'a calendar block overlaps it',
  fully_booked: 'appointments fill all chairs',
  provider_busy: 'the provider has another appointment',
};
const ISSUES: Readonly<Record<Extract<BookingResult, { outcome: 'refused' }>['refusal'], Issue>> = {
  no_clinic: missingReference('clinicId', 'clinic'),
  no_provider: {
    path: 'providerId',
    message: 'must be the id of a provider who works at this clinic',
    code: 'not_found',
  },
  too_many: {
    path: 'endTime',
    message: 'covers too many appointments or calendar blocks: book a shorter time',
  },
};

/** The issues of an appointment that is booked only if its time is free. */
export const guardedTimeIssues = (fields: Pick<Appointment, 'startTime' | 'endTime'>): Issue[] =>
  (['startTime', 'endTime'] as const)
    .filter((name) => fields[name] === undefined)
    .map((path) => ({ path, message: 'is required with onlyIfFree', code: 'required' }));

const taken = (reason: NoSlotReason, nextSlots: readonly object[]): Refusal => {
  const advice =
    nextSlots.length === 0
      ? 'Choose another time.'
      : 'Choose another time, such as one of details.nextSlots.';
  return conflict('time_not_free', `This time is not free: ${REASONS[reason]}. ${advice}`, {
    details: { reason, nextSlots },
  });
};

/** @param isMade whether another request with the same key has made the booking */
const checkFor =
  ({ reply }: WriteCall, isMade: () => Promise<boolean>): CheckTime =>
  async ({ clinicId, providerId, startTime = '', endTime = '' }, ofOrganization) => {
    const schedule = readForCaller(reply, ofOrganization);
    const booking = { clinicId, providerId, startTime: new Date(startTime), endTime: new Date(endTime) };
    const [made, result] = await Promise.all([isMade(), checkBooking(schedule, booking, clock.now())]);
    if (made) return 'made';
    if (result.outcome === 'free') return 'free';
    return async () => {
      // Another request may have made the booking while this one was checked.
      if (await isMade()) return 'made';
      if (result.outcome === 'refused') throw validationError([ISSUES[result.refusal]]);
      throw taken(result.reason, await result.nextSlots());
    };
  };

/** Creates an appointment only if its time is free. */
export const creatingIfFree =
  (call: WriteCall, ids: ReservedIds): CreateBy<Appointment> =>
  (id, make) => {
    const { bookings, idempotency } = call.request.store;
    // Without a key, no other request uses these ids.
    const isKeyed = idempotencyKeyOf(call.request) !== undefined;
    const isMade = async () => isKeyed && (await idempotency.eventBody('appointment', ids)) !== undefined;
    return bookings.create(id, make, checkFor(call, isMade));
  };

/** Changes an appointment only if its time is free. */
export const editingIfFree =
  (call: WriteCall): EditBy<Appointment> =>
  (id, change, revisions) =>
    call.request.store.bookings.edit(
      id,
      async (current) => change(current),
      checkFor(call, async () => false),
      revisions,
    );
