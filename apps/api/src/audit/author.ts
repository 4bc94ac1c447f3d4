import type { Author } from '@chairside/domain';
import type { FastifyRequest } from 'fastify';

/** The author of an event or audit entry: the principal and the id of its request. */
export const authorOf = ({ principal, id }: FastifyRequest): Author => ({
  principal: { kind: principal.kind, id: principal.id },
  requestId: id,
});
