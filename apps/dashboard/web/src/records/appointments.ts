import type { Appointment } from '@chairside/client';

/** Whether the patient is expected, or has come: the appointment occupies a chair and its provider. */
export const isExpected = ({ status }: Pick<Appointment, 'status'>): boolean =>
  status !== 'CANCELED' && status !== 'NO_SHOW';

/** The number of patients of some appointments. One without a patient counts as one. */
export const patientCount = (appointments: readonly Pick<Appointment, '_id' | 'patientId'>[]): number =>
  new Set(appointments.map(({ _id, patientId }) => patientId ?? _id)).size;
