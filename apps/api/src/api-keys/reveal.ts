import { notFound, Refusal } from '@chairside/domain';
import type { OrganizationStore } from '@chairside/mongodb';
import type { FastifyRequest } from 'fastify';
import type { PasswordGuard } from '../plugins/rate-limit.ts';

/** Shows the secret of a key once more, to an administrator who enters the password again. */
export const revealApiKey = async (
  { apiKeys, operators }: Pick<OrganizationStore, 'apiKeys' | 'operators'>,
  guard: PasswordGuard,
  { principal, ip }: FastifyRequest,
  id: string,
  password: string,
) => {
  const isRight = await guard.attempt(principal.id, ip, async () =>
    (await operators.confirmPassword(principal.id, password)) ? true : undefined,
  );
  if (isRight === undefined)
    throw new Refusal('Forbidden', 'This is not your password.', {
      details: { requiredRole: 'administrator' },
    });
  const revealed = await apiKeys.reveal(id);
  if (revealed === undefined) throw notFound();
  return revealed;
};
