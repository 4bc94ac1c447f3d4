import { notFound } from '@chairside/domain';
import type { OrganizationStore } from '@chairside/mongodb';
import type { FastifyRequest } from 'fastify';
import { requireOwnPassword } from '../passwords/own-password.ts';
import type { PasswordGuard } from '../passwords/password-guard.ts';

/** Shows the secret of a key once more, to an administrator who enters the password again. */
export const revealApiKey = async (
  store: Pick<OrganizationStore, 'apiKeys' | 'operators'>,
  guard: PasswordGuard,
  request: FastifyRequest,
  id: string,
  password: string,
) => {
  await requireOwnPassword(store, guard, request, password, 'administrator');
  const revealed = await store.apiKeys.reveal(id);
  if (revealed === undefined) throw notFound();
  return revealed;
};
