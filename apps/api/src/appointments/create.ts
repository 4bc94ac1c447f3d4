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
import { createdRecord, reserveWrite } from '../records/idempotency.ts';
import { requireReferences } from '../records/references.ts';
import type { WriteCall } from '../records/write-call.ts';
import { endCreation, newRecord, type RecordWriter } from '../records/writer.ts';
import { createIfFree, guardedTimeIssues } from './booking.ts';

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
  const { store } = call.request;
  await using write = await reserveWrite<Appointment>(call, createdRecord(call, 'appointment'));
  const earlier = await write.earlier();
  if (earlier !== undefined) return earlier;
  await requireReferences(store, fields, [
    ...appointmentTimeIssues(fields),
    ...(isGuarded ? guardedTimeIssues(fields) : []),
  ]);
  const made = newRecord(writer, call, write.ids, fields);
  await writer.eventBytes.take(call, made.event.body);
  write.begin();
  // An appointment that is canceled or missed takes no time.
  const outcome =
    isGuarded && occupiesChair(fields.status)
      ? await createIfFree(call, write, made)
      : await store.appointments.create(made.record, made.event);
  return endCreation(writer, call, write, made, outcome);
};
