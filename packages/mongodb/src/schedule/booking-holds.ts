import { type BusyInterval, occupiesChair } from '@chairside/domain';
import type { Document } from 'mongodb';
import type { Collection } from '../driver/database.ts';
import { findUnique } from '../driver/ferretdb.ts';
import { byId, isDuplicateKey } from '../driver/statements.ts';
import type { RecordDocument } from '../records/record-shapes.ts';
import { onlyFields } from './practice-settings.ts';
import { toBusyInterval } from './schedule-conditions.ts';

/** The place and the time that an appointment occupies. */
export type BookedTime = { clinicId: string; providerId?: string; startTime: Date; endTime: Date };

/**
 * A time that a guarded booking has won, and that its appointment may not show yet. It counts while the appointment has
 * this revision and the booking is among its drafts; after that, the appointment itself counts.
 */
export type Hold = BookedTime & { bookingId: string; recordId: string; revision: number };

/** The guarded bookings of an organization that were decided last. `_id` is the organization. */
export type BookingsDocument = {
  _id: string;
  organizationId: string;
  /** Raised by each decision. */
  revision: number;
  holds: Hold[];
};

/** The holds of an organization at a revision. */
export type Holds = { revision: number; holds: readonly Hold[] };

export const readHolds = async (
  bookings: Collection<BookingsDocument>,
  organizationId: string,
): Promise<Holds> =>
  (await findUnique(bookings, { _id: organizationId, organizationId })) ?? { revision: 0, holds: [] };

/**
 * Replaces the holds if no other booking was decided since they were read. This is the decision of a booking.
 *
 * @returns whether they were replaced
 */
export const replaceHolds = async (
  bookings: Collection<BookingsDocument>,
  organizationId: string,
  { revision, holds }: Holds,
): Promise<boolean> => {
  const next = { revision: revision + 1, holds: [...holds] };
  if (revision > 0) {
    const stored = { _id: organizationId, organizationId, revision };
    return (await bookings.updateOne(stored, { $set: next })).matchedCount === 1;
  }
  try {
    await bookings.insertOne({ _id: organizationId, organizationId, ...next });
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
};

/** A hold that counts, and the time that its appointment occupies until it is written, if it occupies any. */
export type LiveHold = { hold: Hold; current: BusyInterval | undefined };

const CURRENT_FIELDS = [
  '_id',
  'revision',
  'drafts',
  'deletedAt',
  'clinicId',
  'providerId',
  'startTime',
  'endTime',
  'status',
];

const currentOf = (document: Document): BusyInterval | undefined =>
  document.deletedAt === undefined && document.startTime != null && occupiesChair(document.status)
    ? toBusyInterval(document)
    : undefined;

/** The holds whose appointments may still be written. The others have been written, or never will be. */
export const liveAmong = async (
  appointments: Collection<RecordDocument>,
  organizationId: string,
  holds: readonly Hold[],
): Promise<LiveHold[]> => {
  if (holds.length === 0) return [];
  const ids = [...new Set(holds.map(({ recordId }) => recordId))];
  const documents = await appointments
    .find(
      { _id: { $in: ids }, organizationId, drafts: { $in: holds.map(({ bookingId }) => bookingId) } },
      { projection: onlyFields(CURRENT_FIELDS), batchSize: ids.length + 1, ...byId },
    )
    .toArray();
  const found = new Map(documents.map((document) => [document._id, document]));
  return holds.flatMap((hold) => {
    const document = found.get(hold.recordId);
    const isLive = document?.revision === hold.revision && document.drafts?.includes(hold.bookingId);
    return isLive ? [{ hold, current: currentOf(document) }] : [];
  });
};

/**
 * The times that held appointments occupy. An appointment that moves occupies both its old and its new time, because
 * either may be its time in the end. Where they overlap, it needs only one chair.
 */
export const intervalsOf = (live: readonly LiveHold[]): BusyInterval[] =>
  live.flatMap(({ hold: { clinicId, providerId, startTime, endTime, recordId }, current }) => {
    const shared = { sharedChair: recordId };
    const place = { clinicId, ...(providerId !== undefined && { providerId }) };
    const next = { ...place, startTime, endTime, status: 'SCHEDULED' as const, ...shared };
    return current === undefined ? [next] : [{ ...current, ...shared }, next];
  });
