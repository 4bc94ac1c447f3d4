/**
 * Every reason this package has to refuse.
 *
 * The request is wrong, answer it with a 4xx: `missing_header`, `malformed_header`, `no_signature`, `mismatch`,
 * `too_old`, `too_new`, `bad_json`.
 *
 * The code around the call is wrong, mend it: `body_not_raw`, `bad_secret`, `bad_option`, `no_crypto`.
 *
 * @example
 * const replay: SignatureErrorCode = 'too_old';
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

// Registered, so that the ESM and the CommonJS copy in one process, and both entries, know each other's errors.
const BRAND = Symbol.for('@chairside/signing/SignatureError');

/**
 * The only thing this package throws. `code` is for programs; `message` says what to do about it. Neither has any
 * part of the body, of a secret or of a signature in it, nor has a `cause`: an error is safe to log.
 *
 * @example
 * try {
 *   verify({ body, header, secret });
 * } catch (error) {
 *   if (!(error instanceof SignatureError)) throw error;
 *   console.warn(error.code, error.message);
 * }
 */
export class SignatureError extends Error {
  override readonly name = 'SignatureError';
  /** Which rule was broken. A minor version may add a code; none changes its meaning. */
  readonly code: SignatureErrorCode;

  /** Made by this package; public for your own tests. */
  constructor(code: SignatureErrorCode, message: string) {
    super(message);
    this.code = code;
    Object.defineProperty(this, BRAND, { value: true });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && BRAND in value;
  }
}

/**
 * Shared by both entries, so that the advice is the same.
 *
 * @param hint what the form of the secrets gives away, from `hintOf`
 */
export function mismatch(hint: string): SignatureError {
  return new SignatureError(
    'mismatch',
    `No v1 fits this body and secret.${hint} Is the secret the one of this very subscription, and the body the bytes as they arrived, neither parsed nor re-encoded? If both, the request is forged.`,
  );
}
