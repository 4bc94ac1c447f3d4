import type { Appointment, appointmentStatuses } from './appointment.ts';

/** The statuses of appointments that occupy a chair. */
export const occupyingStatuses = [
  'REQUESTED',
  'SCHEDULED',
  'PATIENT_ARRIVED',
] as const satisfies readonly (typeof appointmentStatuses)[number][];

/**
 * Only the place, the time and the status of an appointment: no id, no patient, no procedures. An appointment without an
 * end occupies one slot.
 */
export type BusyInterval = {
  clinicId: string;
  /** Absent if the appointment names no provider, or if only the chairs of the clinic matter. */
  providerId?: string;
  startTime: Date;
  endTime?: Date;
  status: Appointment['status'];
  /** The times with the same value are of one appointment that is being moved. Together they need one chair. */
  sharedChair?: string;
};

/** Whether an appointment with this status occupies a chair. */
export const occupiesChair = (status: Appointment['status']): boolean =>
  (occupyingStatuses as readonly string[]).includes(status);
