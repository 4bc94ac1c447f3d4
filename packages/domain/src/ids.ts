import { clock } from './clock.ts';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** The digits of the alphabet, by their code in ASCII. */
const DIGITS: readonly (number | undefined)[] = Array.from({ length: 128 }, (_, code) => {
  const digit = ALPHABET.indexOf(String.fromCharCode(code));
  return digit < 0 ? undefined : digit;
});
const TIME_CHARACTERS = 10;

/**
 * The bits of bytes in base 32, as far as they fill whole characters.
 *
 * @param skipped the number of leading bits to leave out
 */
const base32Of = (bytes: Uint8Array, skipped = 0): string => {
  let result = '';
  let bits = -skipped;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      result += ALPHABET.charAt((value >>> bits) & 31);
    }
    value &= (1 << bits) - 1;
  }
  return result;
};

/**
 * A new identifier: 26 characters of Crockford's base 32, made of 48 bits of time and 80 random bits (the layout of a
 * ULID). It sorts by time, which keeps inserts at the end of an index, and cannot be guessed.
 *
 * @param now the time of creation
 * @param random 10 random bytes from a cryptographic source
 */
export const idFrom = (now: Date, random: Uint8Array): string => {
  let time = now.getTime();
  let result = '';
  for (let i = 0; i < TIME_CHARACTERS; i++) {
    result = ALPHABET.charAt(time % 32) + result;
    time = Math.floor(time / 32);
  }
  return result + base32Of(random);
};

/** The time of creation that an identifier of {@link idFrom} contains. */
export const timeOfId = (id: string): Date => {
  let time = 0;
  for (const character of id.slice(0, TIME_CHARACTERS)) time = time * 32 + ALPHABET.indexOf(character);
  return new Date(time);
};

const RANDOM_BYTES = 10;
/** Random bytes for the next identifiers. One call for many identifiers costs a tenth of a call for each. */
const pool = new Uint8Array(400 * RANDOM_BYTES);
let used = pool.length;

/** A new identifier with the current time, from the runtime's cryptographic random source. */
export const newId = (now: Date = clock.now()): string => {
  if (used === pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  used += RANDOM_BYTES;
  return idFrom(now, pool.subarray(used - RANDOM_BYTES, used));
};

const CHARACTERS = 26;
/** The number of bytes of {@link packId}, and of the bits that these bytes have too many. */
const PACKED_BYTES = Math.ceil((CHARACTERS * 5) / 8);
const SPARE_BITS = PACKED_BYTES * 8 - CHARACTERS * 5;

/**
 * The 130 bits of an identifier as 17 bytes, in the same order as the identifiers.
 *
 * @returns undefined if the text has another form than the identifiers of {@link idFrom}
 */
export const packId = (id: string): Uint8Array | undefined => {
  if (id.length !== CHARACTERS) return undefined;
  const packed = new Uint8Array(PACKED_BYTES);
  // The first byte begins with the spare bits.
  let bits = SPARE_BITS;
  let value = 0;
  let at = 0;
  for (let index = 0; index < id.length; index++) {
    const digit = DIGITS[id.charCodeAt(index)];
    if (digit === undefined) return undefined;
    value = (value << 5) | digit;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    packed[at++] = value >>> bits;
    value &= (1 << bits) - 1;
  }
  return packed;
};

/** The identifier that {@link packId} has packed. */
export const unpackId = (packed: Uint8Array): string => base32Of(packed, SPARE_BITS);
