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

/** A time range in a clinic, from `from` to just before `to`. */
export type ClinicRange = { clinicId: string; from: Date; to: Date };

/** A text as a regular expression that finds it anywhere, in upper or lower case. */
const containing = (text: string): Document => ({
  $regex: text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
  $options: 'i',
});

/** The conditions of a search for procedures. A procedure without clinics is offered by all of them. */
export const matchingProcedures = (clinicId: string | undefined, query: string | undefined): Document => {
  const conditions = [
    ...(clinicId === undefined
      ? []
      : [{ $or: [{ clinicIds: clinicId }, { clinicIds: { $exists: false } }] }]),
    ...(query === undefined ? [] : [{ $or: [{ name: containing(query) }, { code: containing(query) }] }]),
  ];
  return conditions.length === 0 ? {} : { $and: conditions };
};

/** Blocks that overlap a range. No block is longer than the maximum, so the range on `startTime` bounds the scan. */
export const overlappingBlocks = ({ from, to }: ClinicRange): Document => ({
  startTime: { $gt: new Date(from.getTime() - MAX_BLOCK_DAYS * DAY - 1), $lt: to },
  endTime: { $gt: from },
});

/**
 * Appointments that overlap a range and occupy a chair. No appointment is longer than the maximum, so the range on
 * `startTime` bounds the scan. One without an end occupies one slot.
 */
export const overlappingAppointments = ({ clinicId, from, to }: ClinicRange): Document => {
  const longest = from.getTime() - MAX_APPOINTMENT_DAYS * DAY - 1;
  const oneSlot = from.getTime() - MAX_SLOT_MINUTES * MINUTE;
  return {
    clinicId,
    startTime: { $gt: new Date(longest), $lt: to },
    status: { $in: [...occupyingStatuses] },
    $or: [{ endTime: { $gt: from } }, { endTime: { $exists: false }, startTime: { $gt: new Date(oneSlot) } }],
  };
};

/** The times and the status of an appointment. */
export const toBusyInterval = ({ startTime, endTime, status }: Document): BusyInterval => ({
  startTime,
  ...(endTime != null && { endTime }),
  status,
});
