import { type Patient, type PatientCreate, withChanges } from '@chairside/domain';
import { requireReferences } from '../records/references.ts';
import type { WriteCall } from '../records/write-call.ts';
import { createRecord, type OwnFields, type RecordWriter } from '../records/writer.ts';

export const createPatient = (
  writer: RecordWriter<Patient>,
  call: WriteCall,
  { clinicId, ...details }: PatientCreate,
): Promise<Patient> =>
  createRecord(writer, call, async () => {
    await requireReferences(call.request.store, { clinicId });
    return withChanges<OwnFields<Patient>>({ clinicId }, details);
  });
