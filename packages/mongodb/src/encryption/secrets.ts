import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { ServiceError } from '@chairside/domain';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The field that a ciphertext is stored in. The ciphertext cannot be decrypted for another field. */
export type Place = { collection: string; _id: string; field: string };

/** Encryption with `ENCRYPTION_KEYS` or `OAUTH_KEYS`. The first key encrypts; all keys decrypt. */
export type Secrets = {
  /** The ids of the keys. The first key encrypts. */
  keyIds: readonly string[];
  /** @returns `<key id>:<base64 of nonce, ciphertext and tag>` */
  encrypt(text: string, place: Place): string;
  /**
   * @throws {Error} if the key is not configured, or if the ciphertext was changed or moved to another field
   */
  decrypt(ciphertext: string, place: Place): string;
  /** Whether this ciphertext was encrypted with the first key. */
  isCurrent(ciphertext: string): boolean;
};

/** @param keys `id:base64,id:base64,…`, each key of 32 bytes; the settings have validated them */
export const openSecrets = (keys: string): Secrets => {
  const parsed = keys.split(',').map((entry) => {
    const [id = '', base64 = ''] = entry.split(':');
    // Node.js prepares a raw key again for each use, which takes longer than the encryption of a short text.
    return [id, createSecretKey(base64, 'base64')] as const;
  });
  const byId = new Map(parsed);
  const [current] = parsed;
  if (current === undefined) throw new ServiceError('There is no encryption key.');
  const [currentId, currentKey] = current;

  return {
    keyIds: [...byId.keys()],
    isCurrent: (ciphertext) => keyIdOf(ciphertext) === currentId,
    encrypt(text, place) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, currentKey, nonce).setAAD(boundTo(place));
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${currentId}:${sealed.toString('base64')}`;
    },
    decrypt(ciphertext, place) {
      const id = keyIdOf(ciphertext);
      const base64 = ciphertext.slice(id.length + 1);
      const key = byId.get(id);
      if (key === undefined)
        throw new ServiceError(
          `The encryption key ${JSON.stringify(id)} is not among the keys of this process (ENCRYPTION_KEYS or OAUTH_KEYS).`,
        );
      try {
        return openWith(key, Buffer.from(base64, 'base64'), place);
      } catch (cause) {
        throw new ServiceError(
          `The field ${place.field} of ${place.collection} ${place._id} cannot be decrypted: the encryption key ${JSON.stringify(id)} has other bytes than the one that encrypted it, or the value was changed.`,
          { cause },
        );
      }
    },
  };
};

const openWith = (key: KeyObject, sealed: Buffer, place: Place): string => {
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(boundTo(place))
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  return (
    decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
  );
};

/** Returns the id of the key that encrypted this ciphertext. If the text has no colon, the result is empty. */
export const keyIdOf = (ciphertext: string): string =>
  ciphertext.slice(0, Math.max(ciphertext.indexOf(':'), 0));

const boundTo = (place: Place): Buffer =>
  Buffer.from(JSON.stringify([place.collection, place._id, place.field]));

/** SHA-256 in hexadecimal. A secret of 256 random bits is looked up by this hash. */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** 32 random bytes as 43 base64url characters after a recognizable prefix. */
export const newSecret = (prefix: string): string => prefix + randomBytes(32).toString('base64url');
