import {
  type Appointment,
  type AppointmentCreate,
  appointmentLists,
  appointmentTimeIssues,
  initialStatus,
  occupiesChair,
  withChanges,
} from '@chairside/domain';
import { requireReferences, withPatientId } from '../records/references.ts';
import type { WriteCall } from '../records/write-call.ts';
import { createRecord, type OwnFields, type RecordWriter } from '../records/writer.ts';
import { createIfFree, guardedTimeIssues } from './booking.ts';

/** @param isGuarded whether the appointment is booked only if its time is free */
export const createAppointment = (
  writer: RecordWriter<Appointment>,
  call: WriteCall,
  body: AppointmentCreate,
  isGuarded: boolean,
): Promise<Appointment> => {
  const { store } = call.request;
  return createRecord(
    writer,
    call,
    async () => {
      const { sent, issues } = await withPatientId(store, body);
      const { clinicId, procedures, reminders, status, ...details } = sent;
      const fields = withChanges<OwnFields<Appointment>>(
        { clinicId, status: status ?? initialStatus(details), procedures: [], reminders: [] },
        { ...details, ...appointmentLists({ procedures, reminders }) },
      );
      await requireReferences(store, fields, [
        ...issues,
        ...appointmentTimeIssues(fields),
        ...(isGuarded ? guardedTimeIssues(fields) : []),
      ]);
      return fields;
    },
    (made, write) =>
      // An appointment that is canceled or missed takes no time.
      isGuarded && occupiesChair(made.record.status)
        ? createIfFree(call, write, made)
        : store.appointments.create(made.record, made.event),
  );
};
