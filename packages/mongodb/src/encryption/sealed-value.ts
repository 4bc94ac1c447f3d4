/*
 * The form in which what identifies a patient is stored:
 *
 *   1 byte    the form: 1
 *   2 bytes   the number of the data key, big-endian
 *   12 bytes  a random nonce
 *   n bytes   the ciphertext of the UTF-8 text, AES-256-GCM (NIST SP 800-38D)
 *   16 bytes  the authentication tag
 *
 * The associated data is the UTF-8 text of the JSON array [form, organization, collection, id, field], without spaces. So a
 * value that is moved to another organization, document or field does not open. test/sealed-values.json has examples with
 * their keys.
 */
import { createCipheriv, createDecipheriv, type KeyObject, randomFillSync } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const FORM = 1;
const HEADER_BYTES = 3;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const OPTIONS = { authTagLength: TAG_BYTES };

/** How many bytes a sealed value has more than its text. */
export const SEAL_BYTES = HEADER_BYTES + NONCE_BYTES + TAG_BYTES;
/** The largest number of a data key. */
export const MAX_KEY_NUMBER = 0xffff;

/** The field that a sealed value is stored in. The value does not open for another field. */
export type SealedPlace = { organizationId: string; collection: string; _id: string; field: string };

const boundTo = ({ organizationId, collection, _id, field }: SealedPlace): Buffer =>
  Buffer.from(JSON.stringify([FORM, organizationId, collection, _id, field]));

/** Random bytes are drawn for many nonces together. */
const drawn = Buffer.alloc(1024 * NONCE_BYTES);
let used = drawn.length;
const newNonce = (): Uint8Array => {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += NONCE_BYTES;
  return drawn.subarray(used - NONCE_BYTES, used);
};

/** @param nonce 12 bytes, never used with this key before; default: random */
export const seal = (
  key: KeyObject,
  keyNumber: number,
  text: string,
  place: SealedPlace,
  nonce = newNonce(),
): Buffer => {
  const cipher = createCipheriv(ALGORITHM, key, nonce, OPTIONS).setAAD(boundTo(place));
  const header = Buffer.from([FORM, keyNumber >> 8, keyNumber & 0xff]);
  return Buffer.concat([header, nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
};

/** The number of the data key that sealed this value; undefined if the value does not have the form. */
export const keyNumberOf = (sealed: Uint8Array): number | undefined => {
  const [form, high = 0, low = 0] = sealed;
  return form === FORM && sealed.length >= SEAL_BYTES ? high * 256 + low : undefined;
};

/** @throws {Error} if the value was changed, was sealed with another key, or was moved from another place */
export const unseal = (key: KeyObject, sealed: Uint8Array, place: SealedPlace): string => {
  const end = sealed.length - TAG_BYTES;
  const start = HEADER_BYTES + NONCE_BYTES;
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(HEADER_BYTES, start), OPTIONS)
    .setAAD(boundTo(place))
    .setAuthTag(sealed.subarray(end));
  const text = decipher.update(sealed.subarray(start, end));
  decipher.final();
  return text.toString('utf8');
};
