/**
 * Every reason this package has for refusing.
 *
 * About the request, so answer it with a 4xx: `missing_header`, `malformed_header`, `no_signature`, `mismatch`,
 * `too_old`, `too_new`, `bad_json`.
 *
 * About the code that calls, so fix that: `body_not_raw`, `bad_secret`, `bad_option`, `no_crypto`.
 *
 * @example
 * const status: Partial<Record<SignatureErrorCode, number>> = { mismatch: 401, too_old: 401 };
 */
export type SignatureErrorCode =
  | 'missing_header'
  | 'malformed_header'
  | 'no_signature'
  | 'mismatch'
  | 'too_old'
  | 'too_new'
  | 'bad_json'
  | 'body_not_raw'
  | 'bad_secret'
  | 'bad_option'
  | 'no_crypto';

// Registered, so that the ESM and the CommonJS copy of one process, and both entries, know each other's errors.
const brand = Symbol.for('@chairside/signing/SignatureError');

/**
 * The only thing this package throws. `code` is for programs, `message` says what to do about it.
 * Neither holds any part of the body, of a secret or of a signature, so both are safe to log.
 *
 * @example
 * try {
 *   verify({ body, header, secret });
 * } catch (error) {
 *   if (error instanceof SignatureError) console.warn(error.code, error.message);
 *   throw error;
 * }
 */
export class SignatureError extends Error {
  override readonly name = 'SignatureError';
  /** Which rule was broken. The set may grow in a minor version, a code never changes its meaning. */
  readonly code: SignatureErrorCode;

  constructor(code: SignatureErrorCode, message: string) {
    super(message);
    this.code = code;
    Object.defineProperty(this, brand, { value: true });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    if (this !== SignatureError) return Function.prototype[Symbol.hasInstance].call(this, value);
    return typeof value === 'object' && value !== null && brand in value;
  }
}
