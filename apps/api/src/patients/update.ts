import { type Patient, type PatientUpdate, withChanges } from '@chairside/domain';
import type { OrganizationStore } from '@chairside/mongodb';
import type { FastifyRequest } from 'fastify';
import { requireSameId } from '../plugins/path-id.ts';
import type { RecordWriter } from '../plugins/record-writer.ts';
import { requireReferences } from '../plugins/references.ts';

export const updatePatient = async (
  store: OrganizationStore,
  writer: RecordWriter<Patient>,
  request: FastifyRequest,
  id: string,
  { _id, lastEditTime, ...changes }: PatientUpdate,
): Promise<Patient> => {
  requireSameId(_id, id);
  return writer.update(request, store.patients, id, async (current) => {
    if (changes.clinicId !== current.clinicId) await requireReferences(store, { clinicId: changes.clinicId });
    return withChanges<Patient>(current, changes);
  });
};
