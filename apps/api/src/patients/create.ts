import { type Patient, type PatientCreate, withChanges } from '@chairside/domain';
import type { RecordWriter, WriteCall } from '../plugins/record-writer.ts';
import { requireReferences } from '../plugins/references.ts';

export const createPatient = async (
  writer: RecordWriter<Patient>,
  call: WriteCall,
  { clinicId, ...details }: PatientCreate,
): Promise<Patient> => {
  await requireReferences(call.store, { clinicId });
  return writer.create(call, withChanges<Omit<Patient, '_id' | 'lastEditTime'>>({ clinicId }, details));
};
