import { createHash } from 'node:crypto';
import {
  appointmentCreateSchema,
  appointmentUpdateSchema,
  type BatchWrite,
  idFrom,
  patientCreateSchema,
  patientUpdateSchema,
  timeOfId,
  validationError,
  type WriteKind,
} from '@chairside/domain';
import type { RecordName, ReservedIds } from '@chairside/mongodb';
import { alsoCheck } from '../appointments/also-check.ts';
import { createAppointment } from '../appointments/create.ts';
import { appointmentWriter } from '../appointments/routes.ts';
import { updateAppointment, upsertAppointment } from '../appointments/update.ts';
import type { Dependencies } from '../context.ts';
import { createPatient } from '../patients/create.ts';
import { patientWriter } from '../patients/routes.ts';
import { updatePatient, upsertPatient } from '../patients/update.ts';
import type { Upserted } from '../records/upsert.ts';
import type { WriteCall } from '../records/write-call.ts';
import { deleteRecord } from '../records/writer.ts';
import { readBody } from './read.ts';

export type Written = Upserted<{ _id: string }>;

/** The writes of one kind, as its single calls make them. */
type Writes = Readonly<{
  create(call: WriteCall, body: unknown): Promise<{ _id: string }>;
  update(call: WriteCall, name: RecordName, body: unknown): Promise<{ _id: string }>;
  upsert(call: WriteCall, externalId: string, body: unknown): Promise<Written>;
  delete(call: WriteCall, name: RecordName): Promise<{ _id: string }>;
}>;

/** The ids of a row are made from those that the key of the batch has reserved, so they are the same in each try. */
const idOfRow = (base: string, index: number): string =>
  idFrom(timeOfId(base), createHash('sha256').update(`${base} ${index}`).digest().subarray(0, 10));
export const idsOfRow = ({ recordId, eventId }: ReservedIds, index: number): ReservedIds => ({
  recordId: idOfRow(recordId, index),
  eventId: idOfRow(eventId, index),
});

/** @throws {Refusal} ValidationError if the body of an upsert has another external id */
const requireSameExternalId = <B extends { externalId?: string | null | undefined }>(
  externalId: string,
  body: B,
): B => {
  if (body.externalId === undefined || body.externalId === externalId) return body;
  const message = 'must equal the externalId of the write';
  throw validationError([{ path: 'externalId', message, code: 'read_only' }]);
};

/** Makes the writes of batches. */
export const openBatchWrites = (dependencies: Dependencies) => {
  const patients = patientWriter(dependencies);
  const appointments = appointmentWriter(dependencies);
  const creating = { isCreation: true };
  const changing = { isCreation: false };
  const kinds: Readonly<Record<WriteKind, Writes>> = {
    patient: {
      async create(call, body) {
        const sent = await readBody(call.request, patientCreateSchema, { body, ...creating });
        return createPatient(patients, call, sent);
      },
      async update(call, name, body) {
        const sent = await readBody(call.request, patientUpdateSchema, { body, ...changing });
        return updatePatient(patients, call, name, sent);
      },
      async upsert(call, externalId, body) {
        const sent = await readBody(call.request, patientUpdateSchema, { body, ...changing });
        return upsertPatient(patients, call, externalId, requireSameExternalId(externalId, sent));
      },
      delete: (call, name) => deleteRecord(patients, call, name),
    },
    appointment: {
      async create(call, body) {
        const sent = await readBody(call.request, appointmentCreateSchema, { body, ...creating, alsoCheck });
        return createAppointment(appointments, call, sent, false);
      },
      async update(call, name, body) {
        const sent = await readBody(call.request, appointmentUpdateSchema, { body, ...changing, alsoCheck });
        return updateAppointment(appointments, call, name, sent, false);
      },
      async upsert(call, externalId, body) {
        const sent = await readBody(call.request, appointmentUpdateSchema, { body, ...changing, alsoCheck });
        return upsertAppointment(
          appointments,
          call,
          externalId,
          requireSameExternalId(externalId, sent),
          false,
        );
      },
      delete: (call, name) => deleteRecord(appointments, call, name),
    },
  };

  /** @throws what the single call throws */
  return async (
    call: WriteCall,
    { method, kind, _id, externalId = '', body }: BatchWrite,
  ): Promise<Written> => {
    const writes = kinds[kind];
    const name = _id ?? { externalId };
    switch (method) {
      case 'create':
        return { record: await writes.create(call, body), isCreated: true, isChanged: true };
      case 'update':
        return { record: await writes.update(call, name, body), isCreated: false, isChanged: true };
      case 'upsert':
        return writes.upsert(call, externalId, body);
      case 'delete':
        return { record: await writes.delete(call, name), isCreated: false, isChanged: true };
    }
  };
};
export type MakeWrite = ReturnType<typeof openBatchWrites>;
