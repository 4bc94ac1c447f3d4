import { type Patient, type PatientUpdate, withChanges } from '@chairside/domain';
import { requireReferences } from '../records/references.ts';
import { upsertRecord } from '../records/upsert.ts';
import type { WriteCall } from '../records/write-call.ts';
import { type RecordWriter, updateRecord } from '../records/writer.ts';
import { createPatient } from './create.ts';

const changed =
  (
    { request: { store } }: WriteCall,
    { _id, createdTime, lastEditTime, ...changes }: PatientUpdate,
  ): ((current: Patient) => Promise<Patient>) =>
  async (current) => {
    const { clinicId } = changes;
    if (clinicId !== current.clinicId) await requireReferences(store, { clinicId });
    return withChanges<Patient>(current, changes);
  };

export const updatePatient = (
  writer: RecordWriter<Patient>,
  call: WriteCall,
  id: string,
  body: PatientUpdate,
): Promise<Patient> => updateRecord(writer, call, id, changed(call, body));

/** Changes the patient with this external id, or creates the patient. */
export const upsertPatient = (
  writer: RecordWriter<Patient>,
  call: WriteCall,
  externalId: string,
  body: PatientUpdate,
): Promise<Patient> => {
  const { _id, clinicId, createdTime, lastEditTime, ...details } = body;
  return upsertRecord(writer, call, {
    externalId,
    _id,
    clinicId,
    nextVersion: changed(call, body),
    create: (inClinic) => createPatient(writer, call, { ...details, externalId, clinicId: inClinic }),
  });
};
