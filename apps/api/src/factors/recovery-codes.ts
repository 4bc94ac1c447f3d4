import { randomBytes } from 'node:crypto';
import { RECOVERY_CODES } from '@chairside/domain';

/** The random bits of a code are 80, so that nobody can guess one. */
const BYTES = 10;
/** Base32 (RFC 4648, 6) in lower case: no letter looks like one of its digits. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const GROUP = 4;

const base32 = (bytes: Uint8Array): string => {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => ALPHABET[Number.parseInt(five, 2)]).join('');
};

/** The form in which a recovery code is compared: without blanks and dashes, in lower case. */
export const normalized = (code: string): string => code.replaceAll(/[\s-]/g, '').toLowerCase();

/** Makes recovery codes: ten times sixteen letters and digits, in groups of four. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () =>
    (base32(randomBytes(BYTES)).match(new RegExp(`.{${GROUP}}`, 'g')) ?? []).join('-'),
  );
