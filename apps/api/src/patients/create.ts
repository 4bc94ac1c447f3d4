import { type Patient, type PatientCreate, withChanges } from '@chairside/domain';
import { createOnce } from '../plugins/idempotency.ts';
import type { RecordWriter, WriteCall } from '../plugins/record-writer.ts';
import { requireReferences } from '../plugins/references.ts';

export const createPatient = async (
  writer: RecordWriter<Patient>,
  call: WriteCall,
  { clinicId, ...details }: PatientCreate,
): Promise<Patient> =>
  createOnce(call, 'patient', async (ids) => {
    await requireReferences(call.store, { clinicId });
    return writer.create(
      call,
      ids,
      withChanges<Omit<Patient, '_id' | 'lastEditTime'>>({ clinicId }, details),
    );
  });
