import { type Patient, type PatientCreate, withChanges } from '@chairside/domain';
import { createOnce } from '../records/idempotency.ts';
import { requireReferences } from '../records/references.ts';
import type { RecordWriter, WriteCall } from '../records/writer.ts';

export const createPatient = async (
  writer: RecordWriter<Patient>,
  call: WriteCall,
  { clinicId, ...details }: PatientCreate,
): Promise<Patient> =>
  createOnce(call, 'patient', async (ids) => {
    await requireReferences(call.request.store, { clinicId });
    return writer.create(
      call,
      ids,
      withChanges<Omit<Patient, '_id' | 'lastEditTime'>>({ clinicId }, details),
    );
  });
