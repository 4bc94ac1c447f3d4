import {
  type Appointment,
  clock,
  conflict,
  type Issue,
  type Refusal,
  type ResourceLimit,
  validationError,
} from '@chairside/domain';
import type { CheckTime, ReservedIds } from '@chairside/mongodb';
import { createFairQueue } from '@chairside/runtime';
import { type BookingResult, checkBooking, type NoSlotReason } from '@chairside/schedule';
import { missingReference } from '../http/further-issues.ts';
import { idempotencyKeyOf } from '../http/idempotency-key.ts';
import type { CreateBy, EditBy, WriteCall } from '../records/writer.ts';

/**
 * How many checks may run at once: in the process, and of one organization. A check of a long time holds up to 100,000
 * times of appointments in memory.
 */
const MAX_CHECKS = 8;
const MAX_CHECKS_OF_ORGANIZATION = 4;
/** More than the requests in flight, so that no check is refused. */
const MAX_WAITING = 1000;

export const bookingCheckLimits: readonly ResourceLimit[] = [
  {
    id: 'booking_checks',
    part: 'Writing',
    resource: 'Bookings with `onlyIfFree` whose time is being checked',
    value: MAX_CHECKS,
    unit: 'at once in each process',
    beyond: 'the request waits; organizations take turns',
    metric: 'chairside_api_requests_waiting',
  },
  {
    id: 'booking_checks_of_organization',
    part: 'Writing',
    resource: 'Bookings with `onlyIfFree` of one organization whose time is being checked',
    value: MAX_CHECKS_OF_ORGANIZATION,
    unit: 'at once in each process',
    beyond: 'the request waits; organizations take turns',
    metric: 'chairside_api_requests_waiting',
  },
];

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

/** Writes appointments only if their time is free. */
export type GuardedWrites = {
  creating(call: WriteCall, ids: ReservedIds): CreateBy<Appointment>;
  editing(call: WriteCall): EditBy<Appointment>;
};

export const openGuardedWrites = (): GuardedWrites => {
  const checks = createFairQueue({
    atOnce: MAX_CHECKS,
    atOnceOfCaller: MAX_CHECKS_OF_ORGANIZATION,
    maxWaiting: MAX_WAITING,
  });

  /** @param isMade whether another request with the same key has made the booking */
  const checkFor =
    ({ request }: WriteCall, isMade: () => Promise<boolean>): CheckTime =>
    async ({ clinicId, providerId, startTime = '', endTime = '' }, schedule, isInTurn) => {
      const booking = { clinicId, providerId, startTime: new Date(startTime), endTime: new Date(endTime) };
      const inTurn = <T>(work: () => Promise<T>) => checks.run(request.principal.organizationId, work);
      const check = () => checkBooking(schedule, booking, clock.now());
      // While a check is in turn, others wait for it, and it is the only one of its organization.
      const [made, result] = await Promise.all([isMade(), isInTurn ? check() : inTurn(check)]);
      if (made) return 'made';
      if (result.outcome === 'free') return 'free';
      return async () => {
        // Another request may have made the booking while this one was checked.
        if (await isMade()) return 'made';
        if (result.outcome === 'refused') throw validationError([ISSUES[result.refusal]]);
        throw taken(result.reason, await inTurn(result.nextSlots));
      };
    };

  return {
    creating: (call, ids) => (id, make) => {
      const { bookings, idempotency } = call.request.store;
      // Without a key, no other request uses these ids.
      const isKeyed = idempotencyKeyOf(call.request) !== undefined;
      const isMade = async () => isKeyed && (await idempotency.eventBody('appointment', ids)) !== undefined;
      return bookings.create(id, make, checkFor(call, isMade));
    },

    editing: (call) => (id, change, revisions) =>
      call.request.store.bookings.edit(
        id,
        async (current) => change(current),
        checkFor(call, async () => false),
        revisions,
      ),
  };
};
