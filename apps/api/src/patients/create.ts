import { type Patient, type PatientCreate, withChanges } from '@chairside/domain';
import type { OrganizationStore } from '@chairside/mongodb';
import type { FastifyRequest } from 'fastify';
import type { RecordWriter } from '../plugins/record-writer.ts';
import { requireReferences } from '../plugins/references.ts';

export const createPatient = async (
  store: OrganizationStore,
  writer: RecordWriter<Patient>,
  request: FastifyRequest,
  { clinicId, ...details }: PatientCreate,
): Promise<Patient> => {
  await requireReferences(store, { clinicId });
  return writer.create(
    request,
    store.patients,
    withChanges<Omit<Patient, '_id' | 'lastEditTime'>>({ clinicId }, details),
  );
};
