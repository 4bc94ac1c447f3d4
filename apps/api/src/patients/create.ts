import { type Patient, type PatientCreate, withChanges } from '@chairside/domain';
import { createdRecord, reserveWrite } from '../records/idempotency.ts';
import { requireReferences } from '../records/references.ts';
import type { WriteCall } from '../records/write-call.ts';
import { endCreation, newRecord, type RecordWriter } from '../records/writer.ts';

export const createPatient = async (
  writer: RecordWriter<Patient>,
  call: WriteCall,
  { clinicId, ...details }: PatientCreate,
): Promise<Patient> => {
  const { store } = call.request;
  await using write = await reserveWrite<Patient>(call, createdRecord(call, 'patient'));
  const earlier = await write.earlier();
  if (earlier !== undefined) return earlier;
  await requireReferences(store, { clinicId });
  const fields = withChanges<Omit<Patient, '_id' | 'lastEditTime'>>({ clinicId }, details);
  const made = newRecord(writer, call, write.ids, fields);
  await writer.eventBytes.take(call, made.event.body);
  write.begin();
  const outcome = await store.patients.create(made.record, made.event);
  return endCreation(writer, call, write, made, outcome);
};
