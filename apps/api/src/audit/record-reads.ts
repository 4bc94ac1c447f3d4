import { type Author, isAboutPatient, type RecordKind } from '@chairside/domain';
import type { Access } from '@chairside/mongodb';
import type { FastifyRequest } from 'fastify';
import { authorOf } from './author.ts';

type RecordRead = Omit<Access, keyof Author | 'result' | 'kind'> & {
  kind: RecordKind;
  /** `ok` by default. */
  result?: 'not_modified' | 'headers';
};

/**
 * Stores the audit entry of records that the caller is about to receive. The records may be sent only after the promise
 * has resolved. Nothing is stored for kinds of records that are not about patients.
 *
 * The entries of writes are not created here. The dispatcher creates them from the events of the writes (filing.ts).
 */
export const auditRead = async (request: FastifyRequest, read: RecordRead): Promise<void> => {
  if (isAboutPatient(read.kind))
    await request.store.audit.add({ result: 'ok', ...read, ...authorOf(request) });
};

/**
 * Stores the audit entry of a delivery that the caller is about to receive with what its receiver has responded: a receiver may
 * return what it was sent.
 */
export const auditDeliveryRead = async (request: FastifyRequest, id: string): Promise<void> => {
  const result = request.method === 'HEAD' ? 'headers' : 'ok';
  await request.store.audit.add({
    action: 'read',
    kind: 'webhookDelivery',
    ids: [id],
    result,
    ...authorOf(request),
  });
};
