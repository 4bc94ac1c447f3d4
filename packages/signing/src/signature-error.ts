/**
 * The reasons for which this package refuses a call.
 *
 * The request is invalid; respond with a 4xx status: `missing_header`, `malformed_header`, `no_signature`,
 * `unknown_subscription`, `mismatch`, `too_old`, `too_new`, `bad_json`.
 *
 * The calling code is wrong; fix it: `body_not_raw`, `bad_secret`, `bad_option`, `no_crypto`.
 *
 * @example
 * const replay: SignatureErrorCode = 'too_old';
 */
export type SignatureErrorCode =
  | 'missing_header'
  | 'malformed_header'
  | 'no_signature'
  | 'unknown_subscription'
  | 'mismatch'
  | 'too_old'
  | 'too_new'
  | 'bad_json'
  | 'body_not_raw'
  | 'bad_secret'
  | 'bad_option'
  | 'no_crypto';

// The symbol is registered globally, so that the ESM and the CommonJS copy in one process, and both entries, recognize
// each other's errors.
const BRAND = Symbol.for('@chairside/signing/SignatureError');

/**
 * The only error that this package throws. `code` is for programs, and `message` says how to fix the problem. The
 * error contains no part of the body, a secret or a signature, and has no `cause`, so it is safe to log.
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
  /** The rule that was broken. A minor version may add codes, but does not change the meaning of a code. */
  readonly code: SignatureErrorCode;

  /** Created by this package. Public for your own tests. */
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
 * Creates the error for a mismatch. Both entries use it, so that both give the same advice.
 *
 * @param hint the sentence about the form of the secrets, from `hintOf`
 */
export function mismatch(hint: string): SignatureError {
  return new SignatureError(
    'mismatch',
    `No v1 matches.${hint} Pass the secret of this subscription, and the body as received, neither parsed nor re-encoded. If both are right, the request is forged.`,
  );
}
