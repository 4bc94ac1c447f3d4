import { type ApiKey, type ApiKeyUpdate, clock, notFound } from '@chairside/domain';
import type { FastifyRequest } from 'fastify';
import { changesOf, withAuditEntry } from '../audit/security-actions.ts';
import { requireConfirmation } from '../http/authorization.ts';
import { requireMatch } from '../records/entity-tags.ts';

/** Whether a change adds scopes or raises the rate limit. */
const isWider = (current: ApiKey, { scopes = [], rateLimit = 0 }: ApiKeyUpdate): boolean =>
  rateLimit > current.rateLimit || scopes.some((scope) => !current.scopes.includes(scope));

/**
 * Changes a key. A change that adds scopes or raises the rate limit needs a confirmed password.
 *
 * @throws {Refusal} NotFound, or Forbidden with `details.requiredConfirmation`
 */
export const updateApiKey = async (
  request: FastifyRequest,
  id: string,
  body: ApiKeyUpdate,
): Promise<ApiKey> => {
  const { _id, name, scopes, rateLimit } = body;
  const check = requireMatch(request, 'apiKey');
  const changes = { name, scopes, rateLimit };
  const action = { action: 'updated', kind: 'apiKey', ids: [id], changes: changesOf(changes) } as const;
  return withAuditEntry(request, action, async () => {
    const updated = await request.store.apiKeys.update(id, changes, clock.now(), (current) => {
      check(current);
      if (isWider(current, body)) requireConfirmation(request.principal, 'administrator');
    });
    if (updated === undefined) throw notFound();
    return updated;
  });
};
