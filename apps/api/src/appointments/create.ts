import {
  type Appointment,
  type AppointmentCreate,
  appointmentLists,
  appointmentTimeIssues,
  initialStatus,
  newId,
  occupiesChair,
  withChanges,
} from '@chairside/domain';
import { createOnce } from '../records/idempotency.ts';
import { requireReferences } from '../records/references.ts';
import type { RecordWriter, WriteCall } from '../records/writer.ts';
import { creatingIfFree, guardedTimeIssues } from './booking.ts';

/** @param isGuarded whether the appointment is booked only if its time is free */
export const createAppointment = async (
  writer: RecordWriter<Appointment>,
  call: WriteCall,
  { clinicId, procedures, reminders, status, ...details }: AppointmentCreate,
  isGuarded: boolean,
): Promise<Appointment> => {
  const fields = withChanges<Omit<Appointment, '_id' | 'lastEditTime'>>(
    { clinicId, status: status ?? initialStatus(details), procedures: [], reminders: [] },
    { ...details, ...appointmentLists({ procedures, reminders }, newId) },
  );
  return createOnce(call, 'appointment', async (ids) => {
    await requireReferences(call.request.store, fields, [
      ...appointmentTimeIssues(fields),
      ...(isGuarded ? guardedTimeIssues(fields) : []),
    ]);
    // An appointment that is canceled or missed takes no time.
    const by = isGuarded && occupiesChair(fields.status) ? creatingIfFree(call, ids) : undefined;
    return writer.create(call, ids, fields, by);
  });
};
