import { type Session, validationError } from '@chairside/domain';
import type { OrganizationStore } from '@chairside/mongodb';
import type { FastifyRequest } from 'fastify';
import { requireOwnPassword } from '../plugins/own-password.ts';
import type { PasswordGuard } from '../plugins/rate-limit.ts';

/** Sets one's own password, for who enters the present one, and ends one's other sessions. */
export const changePassword = async (
  store: Pick<OrganizationStore, 'operators'>,
  guard: PasswordGuard,
  request: FastifyRequest,
  session: Session,
  { password, newPassword }: { password: string; newPassword: string },
): Promise<Session> => {
  await requireOwnPassword(store, guard, request, password, 'staff');
  if (newPassword === password) {
    throw validationError([{ path: 'newPassword', message: 'must be another one than before' }]);
  }
  await store.operators.changePassword(request.principal.id, newPassword, session._id);
  return session;
};
