import { type Patient, type PatientUpdate, withChanges } from '@chairside/domain';
import { requireReferences } from '../records/references.ts';
import type { WriteCall } from '../records/write-call.ts';
import { type RecordWriter, updateRecord } from '../records/writer.ts';

export const updatePatient = async (
  writer: RecordWriter<Patient>,
  call: WriteCall,
  id: string,
  { _id, lastEditTime, ...changes }: PatientUpdate,
): Promise<Patient> => {
  return updateRecord(writer, call, id, async (current) => {
    if (changes.clinicId !== current.clinicId)
      await requireReferences(call.request.store, { clinicId: changes.clinicId });
    return withChanges<Patient>(current, changes);
  });
};
