import { type Appointment, clock, conflict, type Issue, Refusal, validationError } from '@chairside/domain';
import type { Change, CheckTime } from '@chairside/mongodb';
import { type BookingResult, checkBooking, type NoSlotReason } from '@chairside/schedule';
import { missingReference } from '../http/further-issues.ts';
import { idempotencyKeyOf } from '../http/idempotency-key.ts';
import { readForCaller } from '../http/read-for-caller.ts';
import type { OnceWrite } from '../records/idempotency.ts';
import type { WriteCall } from '../records/write-call.ts';
import type { EditBy } from '../records/writer.ts';

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
  ({ reply }: WriteCall, isMade: () => Promise<boolean>): CheckTime<Refusal> =>
  async ({ clinicId, providerId, startTime = '', endTime = '' }, ofOrganization) => {
    const schedule = readForCaller(reply, ofOrganization);
    const booking = { clinicId, providerId, startTime: new Date(startTime), endTime: new Date(endTime) };
    const [made, result] = await Promise.all([isMade(), checkBooking(schedule, booking, clock.now())]);
    if (made) return 'made';
    if (result.outcome === 'free') return 'free';
    return async () => {
      // Another request may have made the booking while this one was checked.
      if (await isMade()) return 'made';
      return result.outcome === 'refused'
        ? validationError([ISSUES[result.refusal]])
        : taken(result.reason, await result.nextSlots());
    };
  };

/** Stores a new appointment only if its time is free. */
export const createIfFree = async (
  call: WriteCall,
  write: OnceWrite<Appointment>,
  made: Change<Appointment>,
): Promise<'created' | 'exists'> => {
  const { bookings, idempotency } = call.request.store;
  // Without a key, no other request uses these ids.
  const isKeyed = idempotencyKeyOf(call.request) !== undefined;
  const isMade = async () => isKeyed && (await idempotency.eventBody('appointment', write.ids)) !== undefined;
  const result = await bookings.create(made, checkFor(call, isMade));
  switch (result.outcome) {
    case 'created':
    case 'exists':
      return result.outcome;
    case 'refused':
      write.refused();
      throw result.refusal;
    case 'busy':
      throw new Refusal(
        'ServiceUnavailable',
        'Too many callers book appointments of your organization at the same time. Try again later.',
        { retryAfter: 1, limit: 'undecided_bookings' },
      );
  }
};

/** Changes an appointment only if its time is free. */
export const editingIfFree =
  (call: WriteCall): EditBy<Appointment> =>
  async (name, change, revisions) => {
    const { bookings } = call.request.store;
    const check = checkFor(call, async () => false);
    const result = await bookings.edit(name, async (current) => change(current), check, revisions);
    if (result.outcome === 'refused') throw result.refusal;
    return result;
  };
