import {
  type Appointment,
  type AppointmentUpdate,
  appointmentLists,
  appointmentTimeIssues,
  withChanges,
} from '@chairside/domain';
import type { RecordName } from '@chairside/mongodb';
import { requireReferences, requireSameId, withPatientId } from '../records/references.ts';
import { type Upserted, upsertRecord } from '../records/upsert.ts';
import type { WriteCall } from '../records/write-call.ts';
import { type RecordWriter, updateRecord } from '../records/writer.ts';
import { alsoCheck } from './also-check.ts';
import { editingIfFree, guardedTimeIssues } from './booking.ts';
import { createAppointment } from './create.ts';

const changed =
  (
    { request: { store } }: WriteCall,
    { _id, createdTime, lastEditTime, ...body }: AppointmentUpdate,
    isGuarded: boolean,
  ): ((current: Appointment) => Promise<Appointment>) =>
  async (current) => {
    requireSameId(current, _id);
    const { sent, issues } = await withPatientId(store, body);
    const { procedures, reminders, ...changes } = sent;
    const lists = appointmentLists({ procedures, reminders }, current.procedures);
    const next = withChanges<Appointment>(current, { ...changes, ...lists });
    // An unchanged reference is not checked, because what it names may have been deleted since.
    await requireReferences(
      store,
      {
        clinicId: next.clinicId === current.clinicId ? undefined : next.clinicId,
        patientId: next.patientId === current.patientId ? undefined : next.patientId,
        providerId: next.providerId === current.providerId ? undefined : next.providerId,
      },
      [...issues, ...appointmentTimeIssues(next), ...(isGuarded ? guardedTimeIssues(next) : [])],
    );
    return next;
  };

/** @param isGuarded whether the appointment is written only if its time is free */
export const updateAppointment = (
  writer: RecordWriter<Appointment>,
  call: WriteCall,
  name: RecordName,
  body: AppointmentUpdate,
  isGuarded: boolean,
): Promise<Appointment> =>
  updateRecord(
    writer,
    call,
    name,
    changed(call, body, isGuarded),
    isGuarded ? editingIfFree(call) : undefined,
  );

/**
 * Changes the appointment with this external id, or creates it.
 *
 * @param isGuarded whether the appointment is written only if its time is free
 */
export const upsertAppointment = (
  writer: RecordWriter<Appointment>,
  call: WriteCall,
  externalId: string,
  body: AppointmentUpdate,
  isGuarded: boolean,
): Promise<Upserted<Appointment>> => {
  const { _id, clinicId, createdTime, lastEditTime, ...details } = body;
  return upsertRecord(writer, call, {
    externalId,
    sent: { body, isCreation: true, alsoCheck },
    nextVersion: changed(call, body, isGuarded),
    create: (inClinic) =>
      createAppointment(writer, call, { ...details, externalId, clinicId: inClinic }, isGuarded),
    by: isGuarded ? editingIfFree(call) : undefined,
  });
};
