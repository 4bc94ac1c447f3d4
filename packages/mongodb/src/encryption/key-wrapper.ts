import type { Place, Secrets } from './secrets.ts';

/**
 * Wraps data keys with a key that is not stored with them. {@link environmentKeys} is the only implementation; one that
 * asks a key management service fits the same methods.
 */
export type KeyWrapper = {
  /** @param key 32 bytes */
  wrap(key: Uint8Array, place: Place): Promise<string>;
  /** @throws {Error} if the wrapping key is missing, or if the wrapped key was changed or moved to another field */
  unwrap(wrapped: string, place: Place): Promise<Buffer>;
};

/** Wraps data keys with `ENCRYPTION_KEYS`. */
export const environmentKeys = (secrets: Secrets): KeyWrapper => ({
  wrap: async (key, place) => secrets.encrypt(Buffer.from(key).toString('base64'), place),
  unwrap: async (wrapped, place) => Buffer.from(secrets.decrypt(wrapped, place), 'base64'),
});
