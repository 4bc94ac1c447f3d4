import type { ImportLine } from '@chairside/domain';
import type { Cipher } from '../encryption/ciphers.ts';

/**
 * A keyed digest of a line, to detect whether it has changed since its last import. Without the organization's key, it does
 * not help to guess the content.
 */
export const importDigest = ({ externalId, fields }: ImportLine, cipher: Cipher): string =>
  cipher.token('import', JSON.stringify([externalId, fields])).toString('base64url');
