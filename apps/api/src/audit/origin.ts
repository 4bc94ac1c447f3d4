import type { Principal } from '@chairside/domain';
import type { Store } from '@chairside/mongodb';

/**
 * Returns the `ref` of a key or token: a keyed hash, by which it recognizes its own changes in events, and by which nobody else
 * can tell whose they are. Operators have none.
 */
export const refOf = async (
  { ciphers }: Pick<Store, 'ciphers'>,
  { kind, id, organizationId }: Principal,
): Promise<string | undefined> => {
  if (kind === 'operator') return undefined;
  const cipher = await ciphers.of(organizationId);
  return cipher.token('origin', `${kind} ${id}`).toString('base64url');
};
