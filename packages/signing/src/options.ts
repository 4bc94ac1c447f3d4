import type { RawBody } from './raw-body.ts';
import type { Secret } from './secret.ts';
import { SignatureError } from './signature-error.ts';
import type { HeaderValue } from './signature-header.ts';

/**
 * What a signer needs once.
 *
 * @example
 * const options: SignerOptions = { secret: process.env.CHAIRSIDE_WEBHOOK_SECRET };
 */
export interface SignerOptions {
  /** The secret of the subscription. Several make a header with one `v1` for each, at most 16. */
  readonly secret: Secret | undefined;
}

/**
 * What is signed.
 *
 * @example
 * const message: UnsignedMessage = { body: '{}', timestamp: Math.floor(Date.now() / 1000) };
 */
export interface UnsignedMessage {
  /** The very bytes that will be sent. A string stands for its UTF-8. */
  readonly body: RawBody;
  /** Unix time of sending, in whole seconds. */
  readonly timestamp: number;
}

/**
 * Everything that `sign` needs.
 *
 * @example
 * const options: SignOptions = { body: '{}', secret, timestamp: Math.floor(Date.now() / 1000) };
 */
export interface SignOptions extends SignerOptions, UnsignedMessage {}

/**
 * What a verifier needs once.
 *
 * @example
 * const options: VerifierOptions = { secret: process.env.CHAIRSIDE_WEBHOOK_SECRET, tolerance: 60 };
 */
export interface VerifierOptions {
  /** The secret of the subscription, whole, `whsec_` included; or several (at most 16), of which one has to match. */
  readonly secret: Secret | undefined;
  /** How many seconds the signature may be away from `now`, in both directions. Default 300; `false` accepts any age. */
  readonly tolerance?: number | false | undefined;
}

/**
 * A request as it arrived.
 *
 * @example
 * const signed: SignedRequest = { body: await request.arrayBuffer(), header: signatureHeader(request) };
 */
export interface SignedRequest {
  /** The body as it arrived, before any parser. An empty one is valid. */
  readonly body: RawBody;
  /** The value of `X-Service-Signature`; `signatureHeader(request)` finds it. */
  readonly header: HeaderValue;
  /** Unix time in seconds to judge the age by; default is the clock. For tests. */
  readonly now?: number | undefined;
}

/**
 * Everything that `verify` and `unwrap` need.
 *
 * @example
 * const options: VerifyOptions = { body, header, secret, tolerance: false };
 */
export interface VerifyOptions extends VerifierOptions, SignedRequest {}

/**
 * What a good signature proves, besides that the body is untouched.
 *
 * @example
 * const { timestamp }: Verified = verify({ body, header, secret });
 * const signedAt = new Date(timestamp * 1000);
 */
export interface Verified {
  /** Unix time in seconds when the request was signed. */
  readonly timestamp: number;
}

/** Refuses `verify(body, header, secret)`, as other packages are called, before it looks like a missing secret. */
export function checkOptions(options: SignerOptions): void {
  if (typeof options !== 'object' || options === null || !('secret' in options)) {
    throw new SignatureError('bad_option', 'Pass one object with a secret in it: { body, header, secret }.');
  }
}
