import { type ApiKey, type ApiKeyCreate, clock, MAX_API_KEYS, validationError } from '@chairside/domain';
import type { OrganizationStore } from '@chairside/mongodb';

/**
 * Creates a key.
 *
 * @returns the key with its secret
 * @throws {Refusal} ValidationError if the organization already has the maximum number of keys
 */
export const createApiKey = async (
  store: OrganizationStore,
  body: ApiKeyCreate,
): Promise<ApiKey & { secret: string }> => {
  const created = await store.apiKeys.create(body, clock.now());
  if (created === undefined) {
    const message = `the organization already has ${MAX_API_KEYS} API keys, the maximum; delete one first`;
    throw validationError([{ path: '', message, code: 'limit_reached' }]);
  }
  return created;
};
