import type { Appointment, appointmentStatuses } from './appointment.ts';

/** The statuses of appointments that occupy a chair. */
export const occupyingStatuses = [
  'REQUESTED',
  'SCHEDULED',
  'PATIENT_ARRIVED',
] as const satisfies readonly (typeof appointmentStatuses)[number][];

/**
 * Only the time and the status of an appointment: no id, no patient, no procedures. An appointment without an end
 * occupies one slot of its clinic.
 */
export type BusyInterval = { startTime: Date; endTime?: Date; status: Appointment['status'] };

/** Whether an appointment with this status occupies a chair. */
export const occupiesChair = (status: Appointment['status']): boolean =>
  (occupyingStatuses as readonly string[]).includes(status);
