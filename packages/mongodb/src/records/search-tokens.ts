import type { SearchKeys } from '@chairside/domain';
import type { Cipher } from '../encryption/ciphers.ts';

/**
 * The bits of a token. Few, so that several texts have the same token on purpose, and a stolen index tells less about names
 * (docs/operation/encryption.md, "Search by name and telephone number"). A search checks what it finds after decryption.
 */
const TOKEN_BITS = 10;

/** The fields that have tokens. Those of a field are numbers from its place in this list, times 2^10, on. */
const FIELDS = ['name', 'phone'] as const satisfies (keyof SearchKeys)[];

/** The field of a patient with its tokens. An index has them. */
export const SEARCH_TOKENS = 'searchTokens';

/** The tokens of search keys, in ascending order, which does not tell the order of the words. */
export const searchTokens = (keys: SearchKeys, cipher: Cipher): number[] => {
  const tokens = FIELDS.flatMap((field, place) =>
    keys[field].map(
      (text) => place * 2 ** TOKEN_BITS + (cipher.token(field, text).readUInt32BE() >>> (32 - TOKEN_BITS)),
    ),
  );
  return [...new Set(tokens)].sort((one, other) => one - other);
};
