import {
  type Appointment,
  type AppointmentUpdate,
  appointmentLists,
  appointmentTimeIssues,
  newId,
  withChanges,
} from '@chairside/domain';
import { requireReferences } from '../records/references.ts';
import type { WriteCall } from '../records/write-call.ts';
import { type RecordWriter, updateRecord } from '../records/writer.ts';
import { editingIfFree, guardedTimeIssues } from './booking.ts';

/** @param isGuarded whether the appointment is written only if its time is free */
export const updateAppointment = async (
  writer: RecordWriter<Appointment>,
  call: WriteCall,
  id: string,
  { _id, lastEditTime, procedures, reminders, ...changes }: AppointmentUpdate,
  isGuarded: boolean,
): Promise<Appointment> => {
  const lists = appointmentLists({ procedures, reminders }, newId);
  const nextVersion = async (current: Appointment): Promise<Appointment> => {
    const next = withChanges<Appointment>(current, { ...changes, ...lists });
    // An unchanged reference is not checked, because what it names may have been deleted since.
    await requireReferences(
      call.request.store,
      {
        clinicId: next.clinicId === current.clinicId ? undefined : next.clinicId,
        patientId: next.patientId === current.patientId ? undefined : next.patientId,
        providerId: next.providerId === current.providerId ? undefined : next.providerId,
      },
      [...appointmentTimeIssues(next), ...(isGuarded ? guardedTimeIssues(next) : [])],
    );
    return next;
  };
  return updateRecord(writer, call, id, nextVersion, isGuarded ? editingIfFree(call) : undefined);
};
