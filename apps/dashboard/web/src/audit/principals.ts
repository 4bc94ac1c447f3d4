import type { AuditEntry } from '@chairside/client';

/**
 * The principals of the organization: their names by id. If `areAll` is true, a principal that is not in `names` was
 * deleted.
 */
export type Principals = { names: ReadonlyMap<string, string>; areAll: boolean };

const KINDS = { apiKey: 'API key', operator: 'Operator', programToken: 'Program token' } as const;

/** The principal of an entry in words. */
export const principalOf = (
  { principal: { kind, id } }: AuditEntry,
  { names, areAll }: Principals,
): string => {
  if (kind === 'system') return id === 'service' ? 'the service' : 'chairside-admin';
  if (kind === 'app') return `App ${id}`;
  if (kind === 'unknown') return 'not signed in';
  const missing = `${KINDS[kind]} ${id}`;
  return names.get(id) ?? (areAll ? `${missing} (deleted)` : missing);
};
