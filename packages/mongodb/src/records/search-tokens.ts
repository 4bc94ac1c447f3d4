import type { SearchKeys, SearchTexts } from '@chairside/domain';
import type { Cipher } from '../encryption/ciphers.ts';

/**
 * The bits of a token. Few, so that several texts have the same token on purpose, and a stolen index tells less about names
 * (docs/operation/encryption.md, "Search by name and telephone number"). A search checks what it finds after decryption.
 */
const TOKEN_BITS = 10;

/** The fields that have tokens. Those of a field are numbers from its place in this list, times 2^10, on. */
const FIELDS = ['name', 'phone'] as const satisfies (keyof SearchTexts)[];

/** The tokens of texts, in ascending order, which does not tell the order of the words. */
const tokensOf = (texts: SearchTexts, cipher: Cipher): number[] => {
  const tokens = FIELDS.flatMap((field, place) =>
    texts[field].map(
      (text) => place * 2 ** TOKEN_BITS + (cipher.token(field, text).readUInt32BE() >>> (32 - TOKEN_BITS)),
    ),
  );
  return [...new Set(tokens)].sort((one, other) => one - other);
};

/**
 * The tokens of a patient. An index has those of the short texts. Those of the long ones choose among the patients that the
 * index finds; in the index, they would make it twice as costly to create a patient.
 */
export const SEARCH_FIELDS = { short: 'searchTokens', long: 'filterTokens' } as const;

/** The fields with the tokens of these keys. */
export const searchFields = (keys: SearchKeys, cipher: Cipher) => ({
  [SEARCH_FIELDS.short]: tokensOf(keys.short, cipher),
  [SEARCH_FIELDS.long]: tokensOf(keys.long, cipher),
});
