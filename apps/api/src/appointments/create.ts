import {
  type Appointment,
  type AppointmentCreate,
  appointmentLists,
  appointmentTimeIssues,
  initialStatus,
  newId,
  withChanges,
} from '@chairside/domain';
import { createOnce } from '../records/idempotency.ts';
import { requireReferences } from '../records/references.ts';
import type { RecordWriter, WriteCall } from '../records/writer.ts';

export const createAppointment = async (
  writer: RecordWriter<Appointment>,
  call: WriteCall,
  { clinicId, procedures, reminders, status, ...details }: AppointmentCreate,
): Promise<Appointment> => {
  const fields = withChanges<Omit<Appointment, '_id' | 'lastEditTime'>>(
    { clinicId, status: status ?? initialStatus(details), procedures: [], reminders: [] },
    { ...details, ...appointmentLists({ procedures, reminders }, newId) },
  );
  return createOnce(call, 'appointment', async (ids) => {
    await requireReferences(call.request.store, fields, appointmentTimeIssues(fields));
    return writer.create(call, ids, fields);
  });
};
