import {
  type Appointment,
  type AppointmentUpdate,
  appointmentLists,
  appointmentTimeIssues,
  newId,
  withChanges,
} from '@chairside/domain';
import { requireSameId } from '../http/path-id.ts';
import { requireReferences } from '../records/references.ts';
import type { RecordWriter, WriteCall } from '../records/writer.ts';

export const updateAppointment = async (
  writer: RecordWriter<Appointment>,
  call: WriteCall,
  id: string,
  { _id, lastEditTime, procedures, reminders, ...changes }: AppointmentUpdate,
): Promise<Appointment> => {
  requireSameId(_id, id);
  const lists = appointmentLists({ procedures, reminders }, newId);
  return writer.update(call, id, async (current) => {
    const next = withChanges<Appointment>(current, { ...changes, ...lists });
    // An unchanged reference is not checked, because what it names may have been deleted since.
    await requireReferences(
      call.request.store,
      {
        clinicId: next.clinicId === current.clinicId ? undefined : next.clinicId,
        patientId: next.patientId === current.patientId ? undefined : next.patientId,
        providerId: next.providerId === current.providerId ? undefined : next.providerId,
      },
      appointmentTimeIssues(next),
    );
    return next;
  });
};
