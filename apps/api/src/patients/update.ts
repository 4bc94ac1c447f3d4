import { type Patient, type PatientUpdate, withChanges } from '@chairside/domain';
import type { RecordName } from '@chairside/mongodb';
import { requireReferences, requireSameId } from '../records/references.ts';
import { type Upserted, upsertRecord } from '../records/upsert.ts';
import type { WriteCall } from '../records/write-call.ts';
import { type RecordWriter, updateRecord } from '../records/writer.ts';
import { createPatient } from './create.ts';

const changed =
  (
    { request: { store } }: WriteCall,
    { _id, createdTime, lastEditTime, ...changes }: PatientUpdate,
  ): ((current: Patient) => Promise<Patient>) =>
  async (current) => {
    requireSameId(current, _id);
    const { clinicId } = changes;
    if (clinicId !== current.clinicId) await requireReferences(store, { clinicId });
    return withChanges<Patient>(current, changes);
  };

export const updatePatient = (
  writer: RecordWriter<Patient>,
  call: WriteCall,
  name: RecordName,
  body: PatientUpdate,
): Promise<Patient> => updateRecord(writer, call, name, changed(call, body));

/** Changes the patient with this external id, or creates the patient. */
export const upsertPatient = (
  writer: RecordWriter<Patient>,
  call: WriteCall,
  externalId: string,
  body: PatientUpdate,
): Promise<Upserted<Patient>> => {
  const { _id, clinicId, createdTime, lastEditTime, ...details } = body;
  return upsertRecord(writer, call, {
    externalId,
    sent: { body, isCreation: true },
    nextVersion: changed(call, body),
    create: (inClinic) => createPatient(writer, call, { ...details, externalId, clinicId: inClinic }),
  });
};
