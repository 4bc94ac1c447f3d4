import {
  type BusyInterval,
  MAX_APPOINTMENT_DAYS,
  MAX_BLOCK_DAYS,
  MAX_SLOT_MINUTES,
  occupyingStatuses,
} from '@chairside/domain';
import type { Document } from 'mongodb';

const DAY = 86_400_000;
const MINUTE = 60_000;

/** A period at a clinic, from `from` up to, but not including, `to`. */
export type ClinicRange = { clinicId: string; from: Date; to: Date };

/** Returns a regular expression that matches values which contain this text, regardless of case. */
const containing = (text: string): Document => ({
  $regex: text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
  $options: 'i',
});

/** The conditions of a search for procedures. A procedure that names no clinics is offered by all of them. */
export const matchingProcedures = (
  clinicIds: readonly string[] | undefined,
  query: string | undefined,
): Document => {
  const conditions = [
    ...(clinicIds === undefined
      ? []
      : [{ $or: [{ clinicIds: { $in: [...clinicIds] } }, { clinicIds: { $exists: false } }] }]),
    ...(query === undefined ? [] : [{ $or: [{ name: containing(query) }, { code: containing(query) }] }]),
  ];
  return conditions.length === 0 ? {} : { $and: conditions };
};

/**
 * Matches blocks that overlap a range, which may be open at either end. No block is longer than the maximum, so the range on `startTime` limits the
 * scan.
 */
export const overlappingBlocks = ({
  from,
  to,
}: {
  from?: Date | undefined;
  to?: Date | undefined;
}): Document => ({
  ...((from ?? to) !== undefined && {
    startTime: {
      ...(from !== undefined && { $gt: new Date(from.getTime() - MAX_BLOCK_DAYS * DAY - 1) }),
      ...(to !== undefined && { $lt: to }),
    },
  }),
  ...(from !== undefined && { endTime: { $gt: from } }),
});

/**
 * Matches appointments that overlap a range and occupy a chair. No appointment is longer than the maximum, so the range
 * on `startTime` limits the scan. An appointment without an end occupies one slot. It matches if it begins in the
 * range, or before it by less than the longest slot that a clinic can set.
 */
export const overlappingAppointments = ({ from, to }: Pick<ClinicRange, 'from' | 'to'>): Document => {
  const longest = from.getTime() - MAX_APPOINTMENT_DAYS * DAY - 1;
  const oneSlot = from.getTime() - MAX_SLOT_MINUTES * MINUTE;
  return {
    startTime: { $gt: new Date(longest), $lt: to },
    status: { $in: [...occupyingStatuses] },
    $or: [{ endTime: { $gt: from } }, { endTime: { $exists: false }, startTime: { $gt: new Date(oneSlot) } }],
  };
};

/** The place, the times and the status of an appointment. */
export const toBusyInterval = ({
  clinicId,
  providerId,
  startTime,
  endTime,
  status,
}: Document): BusyInterval => ({
  clinicId,
  ...(providerId != null && { providerId }),
  startTime,
  ...(endTime != null && { endTime }),
  status,
});
