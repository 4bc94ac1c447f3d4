import { type ApiKey, type ApiKeyUpdate, clock, notFound } from '@chairside/domain';
import type { FastifyRequest } from 'fastify';
import { changesOf, withAuditEntry } from '../audit/security-actions.ts';
import { requireConfirmation } from '../http/authorization.ts';
import { requireMatch } from '../records/entity-tags.ts';
import { requireClinics } from '../records/references.ts';

/** Whether a change lets the key do more, or for longer. */
const isWider = (
  current: ApiKey,
  { scopes = [], rateLimit = 0, clinicIds, expiryTime }: ApiKeyUpdate,
): boolean =>
  rateLimit > current.rateLimit ||
  scopes.some((scope) => !current.scopes.includes(scope)) ||
  (current.clinicIds !== undefined &&
    (clinicIds === null || clinicIds?.some((id) => !current.clinicIds?.includes(id)) === true)) ||
  (current.expiryTime !== undefined &&
    (expiryTime === null || (expiryTime !== undefined && expiryTime > current.expiryTime)));

/**
 * Changes a key. A change that lets it do more, or for longer, needs a confirmed password.
 *
 * @throws {Refusal} NotFound, ValidationError for a clinic that does not exist, or Forbidden with
 *   `details.requiredConfirmation`
 */
export const updateApiKey = async (
  request: FastifyRequest,
  id: string,
  body: ApiKeyUpdate,
): Promise<ApiKey> => {
  const { _id, name, scopes, rateLimit, clinicIds, expiryTime } = body;
  const check = requireMatch(request, 'apiKey');
  const end = typeof expiryTime === 'string' ? new Date(expiryTime) : expiryTime;
  const changes = { name, scopes, rateLimit, clinicIds, expiryTime: end };
  const action = { action: 'updated', kind: 'apiKey', ids: [id], changes: changesOf(changes) } as const;
  return withAuditEntry(request, action, async () => {
    await requireClinics(request.store, clinicIds ?? []);
    const updated = await request.store.apiKeys.update(id, changes, clock.now(), (current) => {
      check(current);
      if (isWider(current, body)) requireConfirmation(request.principal, 'administrator');
    });
    if (updated === undefined) throw notFound();
    return updated;
  });
};
