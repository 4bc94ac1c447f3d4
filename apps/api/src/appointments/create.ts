import {
  type Appointment,
  type AppointmentCreate,
  appointmentLists,
  appointmentTimeIssues,
  initialStatus,
  newId,
  withChanges,
} from '@chairside/domain';
import type { OrganizationStore } from '@chairside/mongodb';
import type { FastifyRequest } from 'fastify';
import type { RecordWriter } from '../plugins/record-writer.ts';
import { requireReferences } from '../plugins/references.ts';

export const createAppointment = async (
  store: OrganizationStore,
  writer: RecordWriter<Appointment>,
  request: FastifyRequest,
  { clinicId, procedures, reminders, status, ...details }: AppointmentCreate,
): Promise<Appointment> => {
  const fields = withChanges<Omit<Appointment, '_id' | 'lastEditTime'>>(
    { clinicId, status: status ?? initialStatus(details), procedures: [], reminders: [] },
    { ...details, ...appointmentLists({ procedures, reminders }, newId) },
  );
  await requireReferences(store, fields, appointmentTimeIssues(fields));
  return writer.create(request, store.appointments, fields);
};
