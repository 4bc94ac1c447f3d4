import { type ApiKey, type ApiKeyCreate, clock, MAX_API_KEYS, validationError } from '@chairside/domain';
import type { OrganizationStore } from '@chairside/mongodb';
import { requireClinics } from '../records/references.ts';

/**
 * Creates a key.
 *
 * @returns the key with its secret
 * @throws {Refusal} ValidationError if the organization already has the maximum number of keys, for a clinic that does not
 *   exist, or for an end that has passed
 */
export const createApiKey = async (
  store: OrganizationStore,
  { expiryTime: end, ...body }: ApiKeyCreate,
): Promise<ApiKey & { secret: string }> => {
  const now = clock.now();
  const expiryTime = end === undefined ? undefined : new Date(end);
  if (expiryTime !== undefined && expiryTime <= now)
    throw validationError([{ path: 'expiryTime', message: `must be later than now, ${now.toISOString()}` }]);
  await requireClinics(store, body.clinicIds ?? []);
  const created = await store.apiKeys.create({ ...body, expiryTime }, now);
  if (created === undefined) {
    const message = `the organization already has ${MAX_API_KEYS} API keys, the maximum; delete one first`;
    throw validationError([{ path: '', message, code: 'limit_reached' }]);
  }
  return created;
};
