import { Secret, TOTP } from 'otpauth';

/** What apps show the codes under. */
const ISSUER = 'Chairside';
/** RFC 4226, 4, R6 recommends 160 bits. */
const SECRET_BYTES = 20;
/** A code of the period before or after is right, too (RFC 6238, 5.2): clocks differ, and people type. */
const WINDOW = 1;

const totpOf = (secret: string, label = ''): TOTP =>
  new TOTP({ issuer: ISSUER, label, secret, algorithm: 'SHA1', digits: 6, period: 30 });

/** A new secret in base32. */
export const newCodeSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

/** The `otpauth:` URI of a secret, for a QR code. */
export const uriOf = (secret: string, email: string): string => totpOf(secret, email).toString();

/**
 * Checks a one-time code (RFC 6238).
 *
 * @param code blanks do not count
 * @returns the number of its period of 30 s; undefined if it is wrong
 */
export const stepOf = (secret: string, code: string, now: Date): number | undefined => {
  const totp = totpOf(secret);
  const timestamp = now.getTime();
  const delta = totp.validate({ token: code.replaceAll(/\s/g, ''), timestamp, window: WINDOW });
  return delta === null ? undefined : totp.counter({ timestamp }) + delta;
};
