import { notFound } from '@chairside/domain';
import type { FastifyRequest } from 'fastify';
import { requireOwnPassword } from '../passwords/own-password.ts';
import type { PasswordGuard } from '../passwords/password-guard.ts';

/** Returns an API key with its secret to an administrator who enters the password again. */
export const revealApiKey = async (
  guard: PasswordGuard,
  request: FastifyRequest,
  id: string,
  password: string,
) => {
  await requireOwnPassword(guard, request, password, 'administrator');
  const revealed = await request.store.apiKeys.reveal(id);
  if (revealed === undefined) throw notFound();
  return revealed;
};
