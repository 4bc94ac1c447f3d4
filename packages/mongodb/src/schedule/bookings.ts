import { type FairQueue, QueueFullError } from '@chairside/concurrency';
import {
  type Appointment,
  type BusyInterval,
  clock,
  newId,
  occupiesChair,
  type ResourceLimit,
  ServiceError,
} from '@chairside/domain';
import { inCausalSession } from '../connection/causal-session.ts';
import type { Database } from '../driver/database.ts';
import { deleteUnique, findUnique } from '../driver/ferretdb.ts';
import { isDuplicateKey } from '../driver/statements.ts';
import { isDatabaseUnavailable, OverloadedError } from '../driver/unavailable.ts';
import type { RecordSet, Stored } from '../records/record-lists.ts';
import { visible } from '../records/record-query.ts';
import type { RecordDocument } from '../records/record-shapes.ts';
import {
  type Change,
  findToEdit,
  hasRoomForEvent,
  jitter,
  keepingIdsUnique,
  type RecordName,
  versionUpdate,
  type WriteResult,
  writeVersion,
} from '../records/records.ts';
import {
  type BookedTime,
  type BookingsDocument,
  type Hold,
  intervalsOf,
  liveAmong,
  readHolds,
  replaceHolds,
} from './booking-holds.ts';
import { ownAppointments } from './busy-view.ts';
import type { OccupiedReads } from './occupied-reads.ts';
import { type OrganizationSchedule, scheduleOf } from './organization-schedule.ts';

/*
 * Guarded bookings: appointments that are written only if their time is free. docs/architecture.md, "Guarded bookings",
 * has the argument why these steps never book a time twice.
 */

/** Maximum number of tries of a booking whose appointment other callers write, and of a decision that others win. */
const MAX_TRIES = 30;
/** Maximum number of bookings of an organization that were decided and whose appointments are not written yet. */
const MAX_HOLDS = 1000;

/**
 * Checks whether the time of a booking is free. It is called again if another booking is decided meanwhile.
 *
 * @param next the appointment as it would be
 * @param schedule the schedule without the appointment itself, but with the times that other bookings have won
 * @returns `made` if an earlier request has already made this booking. If the time is not free, a function that is
 *   called when no booking waits any more: it returns why, or `made`
 */
export type CheckTime<T> = (
  next: Appointment,
  schedule: OrganizationSchedule,
) => Promise<'free' | 'made' | (() => Promise<'made' | T>)>;

/** The time is not free. `refusal` is what the check says about it. */
type NotFree<T> = { outcome: 'refused'; refusal: T };

/** The appointments of one organization, written only if their time is free. */
export type Bookings = {
  /**
   * Stores a new appointment and its event.
   *
   * @returns 'exists' if an appointment with this id exists or existed: the same booking was made before
   * @throws {ExternalIdTakenError}
   */
  create<T extends object>(
    made: Change<Appointment>,
    check: CheckTime<T>,
  ): Promise<{ outcome: 'created' | 'exists' | 'busy' } | NotFree<T>>;
  /** Like `edit` of {@link Records}. An appointment that occupies no chair is written without a check. */
  edit<T extends object>(
    name: RecordName,
    change: (current: Stored<Appointment>) => Promise<Change<Appointment> | undefined>,
    check: CheckTime<T>,
    revisions?: readonly number[],
  ): Promise<WriteResult<Appointment> | NotFree<T>>;
};

/** @returns undefined if the appointment occupies nothing */
const timeOf = ({
  clinicId,
  providerId,
  startTime,
  endTime,
  status,
}: Appointment): BookedTime | undefined => {
  if (!occupiesChair(status)) return undefined;
  if (startTime === undefined || endTime === undefined)
    throw new ServiceError('a guarded booking has no start or no end');
  return {
    clinicId,
    ...(providerId !== undefined && { providerId }),
    startTime: new Date(startTime),
    endTime: new Date(endTime),
  };
};

/**
 * The drafts of an appointment: the ids of the bookings that may write the version after a revision. A new appointment
 * has the revision 0 until it is written.
 */
const draftsOf = (set: RecordSet) => {
  const { collection: appointments, organizationId } = set;
  const addition = (bookingId: string) => ({
    $push: { drafts: bookingId },
    // The time of the oldest draft: later bookings must not prolong what a killed process has left.
    $min: { draftAt: clock.now() },
  });
  return {
    /** @returns whether the draft was added: the appointment has this revision, and room for an event */
    async add(_id: string, revision: number, bookingId: string): Promise<boolean> {
      const one = { _id, organizationId, revision };
      if (revision > 0) {
        const filter = { ...one, ...visible, ...hasRoomForEvent };
        return (await appointments.updateOne(filter, addition(bookingId))).matchedCount === 1;
      }
      const time = clock.now();
      const hidden = { ...one, deletedAt: time, drafts: [bookingId], draftAt: time };
      // Another request with the same idempotency key may add or drop its draft between the two statements.
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        try {
          await appointments.insertOne(hidden as Partial<RecordDocument> as RecordDocument);
          return true;
        } catch (error) {
          if (!isDuplicateKey(error)) throw error;
        }
        if ((await appointments.updateOne(one, addition(bookingId))).matchedCount === 1) return true;
        const isWritten = { _id, organizationId, revision: { $gt: 0 } };
        if ((await findUnique(appointments, isWritten, { _id: 1 })) !== undefined) return false;
      }
      return false;
    },

    /** @returns whether the appointment was written: it has this revision, and the draft still exists */
    async write(next: Change<Appointment>, revision: number, bookingId: string): Promise<boolean> {
      const ended = ['drafts', 'draftAt', ...(revision === 0 ? ['deletedAt'] : [])];
      const filter = {
        _id: next.record._id,
        organizationId,
        revision,
        drafts: bookingId,
        ...hasRoomForEvent,
      };
      const update = versionUpdate(set, next, await set.cipher(), ended);
      const { matchedCount } = await keepingIdsUnique(set, next.record, () =>
        appointments.updateOne(filter, update),
      );
      return matchedCount === 1;
    },

    /** After this, the booking cannot write the appointment. */
    async drop(_id: string, revision: number, bookingId: string): Promise<void> {
      const one = { _id, organizationId };
      const end = async (drafts: string[] | { $size: 0 }): Promise<boolean> =>
        revision === 0
          ? deleteUnique(appointments, { ...one, revision, drafts })
          : (await appointments.updateOne({ ...one, drafts }, { $unset: { drafts: '', draftAt: '' } }))
              .matchedCount === 1;
      if (await end([bookingId])) return;
      // Other bookings of this appointment run. Each removes its own draft, and the last one the rest.
      const pull = { $pull: { drafts: bookingId } };
      const { matchedCount } = await appointments.updateOne({ ...one, drafts: bookingId }, pull);
      if (matchedCount === 1) await end({ $size: 0 });
    },
  };
};

/** The schedule of the organization as a booking sees it. @param others the times that other bookings have won */
const scheduleWith = (
  database: Database,
  organizationId: string,
  leftOut: ReadonlySet<string>,
  others: readonly BusyInterval[],
  reads: OccupiedReads,
): OrganizationSchedule => {
  const source = { busySource: async () => ownAppointments, reads, leftOut };
  const schedule = scheduleOf(database, organizationId, source);
  return {
    ...schedule,
    occupied: (range, find, signal) =>
      schedule.occupied(
        range,
        (occupied) => {
          for (const other of others) occupied.busy.add(other);
          return find(occupied);
        },
        signal,
      ),
  };
};

type Desk = {
  database: Database;
  /** The appointments. Every query contains their organization. */
  set: RecordSet;
  /** Lets the bookings of an organization take turns, once they have met. */
  turns: FairQueue;
  reads: OccupiedReads;
};

const inTurn = async <T>({ set, turns }: Desk, work: () => Promise<T>): Promise<T> => {
  try {
    return await turns.run(set.organizationId, work);
  } catch (cause) {
    if (!(cause instanceof QueueFullError)) throw cause;
    throw new OverloadedError('Too many bookings of this organization wait.', { cause });
  }
};

/** A booking whose draft exists. `own` is the database in the session of the booking. */
type Booking<T> = { own: Database; hold: Hold; next: Appointment; check: CheckTime<T> };

/** Checks the time of a booking, and decides if it is free. @returns `lost` if another booking was decided meanwhile */
const attempt = async <T extends object>(
  { set, turns, reads }: Desk,
  { own, hold, next, check }: Booking<T>,
  isInTurn: boolean,
): Promise<Exclude<Awaited<ReturnType<CheckTime<T>>>, 'free'> | 'won' | 'lost' | 'busy'> => {
  const { organizationId } = set;
  const bookings = own.collection<BookingsDocument>('bookings');
  const appointments = own.collection<RecordDocument>(set.collection.collectionName);
  // The order of these reads matters: first the holds, then which of them count, then the appointments.
  const { revision, holds } = await readHolds(bookings, organizationId);
  const live = await liveAmong(appointments, organizationId, holds);
  const others = live.filter((each) => each.hold.recordId !== hold.recordId);
  const leftOut = new Set([hold.recordId, ...others.map((each) => each.hold.recordId)]);
  const schedule = scheduleWith(own, organizationId, leftOut, intervalsOf(others), reads);
  const checked = await check(next, schedule);
  if (checked !== 'free') return checked;
  if (live.length >= MAX_HOLDS) return 'busy';
  // A decision outside the turns would let the booking in turn check again.
  if (!isInTurn && turns.isUsedBy(organizationId)) return 'lost';
  const after = [...live.map((each) => each.hold), hold];
  return (await replaceHolds(bookings, organizationId, { revision, holds: after })) ? 'won' : 'lost';
};

/** Wins the time of a booking. */
const decide = async <T extends object>(
  desk: Desk,
  booking: Booking<T>,
): Promise<'won' | 'made' | 'busy' | NotFree<T>> => {
  let result = await attempt(desk, booking, false);
  // Bookings of this process that have met would meet again, so they take turns.
  for (let tries = 1; result === 'lost' && tries < MAX_TRIES; tries++)
    result = await inTurn(desk, () => attempt(desk, booking, true));
  if (typeof result !== 'function') return result === 'lost' ? 'busy' : result;
  const refusal = await result();
  return refusal === 'made' ? 'made' : { outcome: 'refused', refusal };
};

/**
 * Books a time, and writes the appointment.
 *
 * @param revision that of the appointment; 0 for a new one
 * @returns `unplaced` if the appointment does not have this revision, or has no room for an event; `lost` if another
 *   caller wrote it first, or the draft was removed
 */
const book = <T extends object>(
  desk: Desk,
  { revision, ...time }: BookedTime & { revision: number },
  made: Change<Appointment>,
  check: CheckTime<T>,
): Promise<'written' | 'made' | 'busy' | 'unplaced' | 'lost' | NotFree<T>> =>
  inCausalSession(desk.database, async (own) => {
    const { set } = desk;
    const next = made.record;
    const { _id } = next;
    const bookingId = newId();
    const drafts = draftsOf({ ...set, collection: own.collection(set.collection.collectionName) });
    if (!(await drafts.add(_id, revision, bookingId))) return 'unplaced';
    try {
      const hold = { ...time, bookingId, recordId: _id, revision };
      const decision = await decide(desk, { own, hold, next, check });
      if (decision === 'won' && (await drafts.write(made, revision, bookingId))) return 'written';
      await drafts.drop(_id, revision, bookingId);
      return decision === 'won' ? 'lost' : decision;
    } catch (error) {
      // If the database is unavailable, the sweep removes the draft later.
      if (!isDatabaseUnavailable(error)) await drafts.drop(_id, revision, bookingId).catch(() => {});
      throw error;
    }
  });

/** Writes the next version of an appointment, if its time is free or it occupies nothing. */
const bookNext = async <T extends object>(
  desk: Desk,
  current: Stored<Appointment>,
  next: Change<Appointment>,
  check: CheckTime<T>,
): Promise<Awaited<ReturnType<typeof book<T>>>> => {
  const time = timeOf(next.record);
  if (time === undefined) return (await writeVersion(desk.set, current, next)) ? 'written' : 'unplaced';
  return book(desk, { ...time, revision: current.revision }, next, check);
};

/** Makes one try to edit an appointment. */
const tryEdit = async <T extends object>(
  desk: Desk,
  current: Stored<Appointment>,
  change: Parameters<Bookings['edit']>[1],
  check: CheckTime<T>,
): Promise<
  Exclude<Awaited<ReturnType<typeof bookNext<T>>>, 'written'> | WriteResult<Appointment> | NotFree<T>
> => {
  const next = await change(current);
  if (next === undefined) return { outcome: 'unchanged', ...current };
  const result = await bookNext(desk, current, next, check);
  if (result !== 'written') return result;
  return { outcome: 'written', record: next.record, revision: current.revision + 1, event: next.event };
};

export const bookingsOf = (desk: Desk): Bookings => ({
  async create(made, check) {
    const time = timeOf(made.record);
    if (time === undefined) throw new ServiceError(`the booking of ${made.record._id} occupies nothing`);
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const result = await book(desk, { ...time, revision: 0 }, made, check);
      if (typeof result === 'object') return result;
      if (result === 'written') return { outcome: 'created' };
      if (result === 'busy') break;
      if (result !== 'lost') return { outcome: 'exists' };
    }
    return { outcome: 'busy' };
  },

  async edit(name, change, check, revisions) {
    let missed: Stored<Appointment> | undefined;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const found = await findToEdit<Appointment>(desk.set, name, revisions);
      if (found.outcome !== 'found') return found;
      const { current } = found;
      // The draft was not added although the revision has not changed: the outbox has no room.
      if (missed?.record._id === current.record._id && missed.revision === current.revision) break;
      const result = await tryEdit(desk, current, change, check);
      if (typeof result === 'object') return result;
      if (result === 'busy') break;
      missed = result === 'unplaced' ? current : undefined;
      await jitter();
    }
    return { outcome: 'busy' };
  },
});

export const bookingLimits: readonly ResourceLimit[] = [
  {
    id: 'undecided_bookings',
    part: 'Writing',
    resource: 'Bookings with `onlyIfFree` of one organization whose appointments are being written',
    value: MAX_HOLDS,
    unit: 'bookings',
    beyond: '503 ServiceUnavailable',
    metric: 'chairside_api_refusals_total',
  },
];
