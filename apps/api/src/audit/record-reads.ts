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
 * Stores the audit entry of records that the caller is about to receive. The records may be sent only after it has
 * resolved. It stores nothing for kinds of records that are not about patients.
 *
 * Writes do not call it, because fan-out creates their entries from their events.
 */
export const auditRead = async (request: FastifyRequest, read: RecordRead): Promise<void> => {
  if (isAboutPatient(read.kind))
    await request.store.audit.add({ result: 'ok', ...read, ...authorOf(request) });
};
