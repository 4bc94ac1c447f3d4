import { clock, conflict, type Session, validationError } from '@chairside/domain';
import { siteOf } from '@chairside/http-server';
import type { Strength } from '@chairside/passwords';
import type { FastifyRequest } from 'fastify';
import { requireStrongPassword } from '../passwords/new-password.ts';
import {
  type EnteredPassword,
  type OwnPasswordChecks,
  requireOwnPassword,
} from '../passwords/own-password.ts';

/**
 * Sets the caller's own password and ends the caller's other sessions.
 *
 * @throws {Refusal} those of `requireOwnPassword`; ValidationError if the new password is the current one or too easy to guess; Conflict if
 *   the password was changed or the session ended during this request, so that an administrator's reset is not undone
 */
export const changePassword = async (
  checks: OwnPasswordChecks,
  strength: Strength,
  request: FastifyRequest,
  session: Session,
  body: EnteredPassword & { newPassword: string },
): Promise<void> => {
  const { password, newPassword } = body;
  const { principal, callerAddress } = request;
  const confirmation = await requireOwnPassword(checks, request, body, 'staff');
  if (newPassword === password) {
    throw validationError([{ path: 'newPassword', message: 'must differ from your current password' }]);
  }
  const of = { email: session.email ?? '', organizationName: await request.store.organizationName() };
  await requireStrongPassword(strength, 'newPassword', newPassword, of, callerAddress);
  const isChanged = await request.store.operators.changePassword(
    principal.id,
    confirmation,
    newPassword,
    session._id,
    clock.now(),
    siteOf(callerAddress),
  );
  if (!isChanged) {
    throw conflict(
      'session_ended',
      'Your password was changed or your session ended during this request. Sign in again.',
    );
  }
};
