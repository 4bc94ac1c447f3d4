import { createHash, hkdfSync } from 'node:crypto';

const BYTES = 32;
/** The length of a fingerprint, in characters of base64url: 96 bits. */
const FINGERPRINT_LENGTH = 16;

/** Derives the key for one purpose of the authorization server from a key of OAUTH_KEYS. */
export const deriveOAuthKey = (key: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `chairside oauth ${purpose}`, BYTES));

/**
 * The encryption keys for the stored data of the authorization server. Their ids are fingerprints. If a key is replaced
 * under the same id of OAUTH_KEYS, data of the old key therefore counts as encrypted with an unknown key, not as
 * damaged.
 *
 * @param keys the value of OAUTH_KEYS, which the settings have validated
 * @returns `id:base64,…`
 */
export const oauthStorageKeys = (keys: string): string =>
  keys
    .split(',')
    .map((entry) => {
      const key = deriveOAuthKey(Buffer.from(entry.slice(entry.indexOf(':') + 1), 'base64'), 'storage');
      const id = createHash('sha256').update(key).digest('base64url').slice(0, FINGERPRINT_LENGTH);
      return `${id}:${key.toString('base64')}`;
    })
    .join(',');
