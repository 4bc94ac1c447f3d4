import type { RawBody } from './raw-body.ts';
import type { Secret, SecretOf } from './secret.ts';
import { SignatureError } from './signature-error.ts';
import type { HeaderValue } from './signature-header.ts';

/**
 * The options of a signer.
 *
 * @example
 * const options: SignerOptions = { secret: process.env.CHAIRSIDE_WEBHOOK_SECRET };
 */
export interface SignerOptions {
  /** The secret of the subscription. Several secrets, at most 16, create a header with one `v1` for each. */
  readonly secret: Secret | undefined;
}

/**
 * The message to sign.
 *
 * @example
 * const message: UnsignedMessage = { body: '{}', timestamp: Math.floor(Date.now() / 1000) };
 */
export interface UnsignedMessage {
  /** The exact bytes that will be sent. A string is encoded as UTF-8. */
  readonly body: RawBody;
  /** The time of sending, as Unix time in whole seconds. */
  readonly timestamp: number;
}

/**
 * The options of `sign`.
 *
 * @example
 * const options: SignOptions = { body: '{}', secret, timestamp: Math.floor(Date.now() / 1000) };
 */
export interface SignOptions extends SignerOptions, UnsignedMessage {}

/**
 * The options of a verifier.
 *
 * @example
 * const options: VerifierOptions = { secret: process.env.CHAIRSIDE_WEBHOOK_SECRET, tolerance: 60 };
 */
export interface VerifierOptions {
  /**
   * The whole secret of the subscription, including `whsec_`; or several secrets (at most 16), one of which must
   * match; or a function that chooses the secret by the id of the subscription.
   */
  readonly secret: Secret | SecretOf | undefined;
  /**
   * The largest difference between the time of signing and `now`, in seconds, in both directions. Default: 300.
   * `false` accepts any age.
   */
  readonly tolerance?: number | false | undefined;
}

/**
 * A received request.
 *
 * @example
 * const signed: SignedRequest = { body: await request.arrayBuffer(), header: signatureHeader(request) };
 */
export interface SignedRequest {
  /** The body as received, before any parser. An empty body is valid. */
  readonly body: RawBody;
  /** The value of `X-Service-Signature`; `signatureHeader(request)` finds it. */
  readonly header: HeaderValue;
  /** The value of `X-Service-Subscription-Id`, if `secret` is a function; `subscriptionId(request)` finds it. */
  readonly subscriptionId?: string | undefined;
  /** The current Unix time in seconds, for tests. Default: the clock. */
  readonly now?: number | undefined;
}

/**
 * The options of `verify` and `unwrap`.
 *
 * @example
 * const options: VerifyOptions = { body, header, secret, tolerance: false };
 */
export interface VerifyOptions extends VerifierOptions, SignedRequest {}

/**
 * The result of a successful verification.
 *
 * @example
 * const { timestamp }: Verified = verify({ body, header, secret });
 * const signedAt = new Date(timestamp * 1000);
 */
export interface Verified {
  /** The time of signing, as Unix time in seconds. */
  readonly timestamp: number;
}

/**
 * Detects calls in the style of other packages, `verify(body, header, secret)`. Otherwise they would be reported as a
 * missing secret.
 */
export function checkOptions(options: object): void {
  if (typeof options !== 'object' || options === null || !('secret' in options)) {
    throw new SignatureError('bad_option', 'Pass an object: { body, header, secret }.');
  }
}
