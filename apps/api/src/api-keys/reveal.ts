import { notFound } from '@chairside/domain';
import type { FastifyRequest } from 'fastify';
import {
  type EnteredPassword,
  type OwnPasswordChecks,
  requireOwnPassword,
} from '../passwords/own-password.ts';

/** Returns an API key with its secret to an administrator who enters the password again. */
export const revealApiKey = async (
  checks: OwnPasswordChecks,
  request: FastifyRequest,
  id: string,
  entered: EnteredPassword,
) => {
  await requireOwnPassword(checks, request, entered, 'administrator');
  const revealed = await request.store.apiKeys.reveal(id);
  if (revealed === undefined) throw notFound();
  return revealed;
};
