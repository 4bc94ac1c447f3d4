import { Refusal, type Role } from '@chairside/domain';
import type { Confirmation, OrganizationStore } from '@chairside/mongodb';
import type { FastifyRequest } from 'fastify';
import { networkOf } from './caller-network.ts';
import type { PasswordGuard } from './password-guard.ts';

/** An operator who has signed in is known: the limit of the name alone does not stop the operator. */
const isKnown = async (): Promise<boolean> => true;

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
): Promise<Confirmation> => {
  const network = networkOf(ip);
  const confirmation = await guard.attempt({ name: principal.id, network }, isKnown, () =>
    operators.confirmPassword(principal.id, password, network),
  );
  if (confirmation === undefined)
    throw new Refusal('Forbidden', 'This is not your password.', { details: { requiredRole } });
  return confirmation;
};
