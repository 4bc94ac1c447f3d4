import { Refusal, type Role } from '@chairside/domain';
import type { OrganizationStore } from '@chairside/mongodb';
import type { FastifyRequest } from 'fastify';
import type { PasswordGuard } from './rate-limit.ts';

/**
 * Asks an operator who has signed in for the password again.
 *
 * @param requiredRole the role that the route needs
 * @throws {Refusal} Forbidden when it is wrong, TooManyRequests after too many wrong ones
 */
export const requireOwnPassword = async (
  { operators }: Pick<OrganizationStore, 'operators'>,
  guard: PasswordGuard,
  { principal, ip }: FastifyRequest,
  password: string,
  requiredRole: Role,
): Promise<void> => {
  const isRight = await guard.attempt(principal.id, ip, async () =>
    (await operators.confirmPassword(principal.id, password)) ? true : undefined,
  );
  if (isRight === undefined)
    throw new Refusal('Forbidden', 'This is not your password.', { details: { requiredRole } });
};
