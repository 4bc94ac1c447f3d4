import { type Author, isAboutPatient } from '@chairside/domain';
import type { Access, OrganizationStore } from '@chairside/mongodb';
import type { FastifyRequest } from 'fastify';

/** Who calls, and in which request. */
export const authorOf = ({ principal, id }: FastifyRequest): Author => ({
  principal: { kind: principal.kind, id: principal.id },
  requestId: id,
});

/**
 * Writes down that the caller is about to get these records. They may leave when it resolves, not before.
 * The entry of a write is made from its event instead.
 */
export const audit = async (
  request: FastifyRequest,
  { audit: entries }: Pick<OrganizationStore, 'audit'>,
  access: Omit<Access, keyof Author | 'result'> & { result?: 'not_modified' | 'headers' },
): Promise<void> => {
  if (isAboutPatient(access.kind)) await entries.add({ result: 'ok', ...access, ...authorOf(request) });
};
