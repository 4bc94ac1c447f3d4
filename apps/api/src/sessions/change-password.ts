import { Refusal, type Session, validationError } from '@chairside/domain';
import type { OrganizationStore } from '@chairside/mongodb';
import type { FastifyRequest } from 'fastify';
import type { PasswordGuard } from '../plugins/rate-limit.ts';

/** Sets one's own password, for who enters the present one, and ends one's other sessions. */
export const changePassword = async (
  { operators }: Pick<OrganizationStore, 'operators'>,
  guard: PasswordGuard,
  { principal, ip }: FastifyRequest,
  session: Session,
  { password, newPassword }: { password: string; newPassword: string },
): Promise<Session> => {
  const isRight = await guard.attempt(principal.id, ip, async () =>
    (await operators.confirmPassword(principal.id, password)) ? true : undefined,
  );
  if (isRight === undefined) {
    throw new Refusal('Forbidden', 'This is not your password.', { details: { requiredRole: 'staff' } });
  }
  if (newPassword === password) {
    throw validationError([{ path: 'newPassword', message: 'must be another one than before' }]);
  }
  await operators.changePassword(principal.id, newPassword, session._id);
  return session;
};
