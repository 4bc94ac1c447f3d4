export type * from './event.ts';
export {
  type HeaderLookup,
  type HeaderRecord,
  type HeaderSource,
  signatureHeader,
  subscriptionId,
} from './find-header.ts';
export type {
  SignedRequest,
  SignerOptions,
  SignOptions,
  UnsignedMessage,
  Verified,
  VerifierOptions,
  VerifyOptions,
} from './options.ts';
export type { RawBody } from './raw-body.ts';
export type * from './records.ts';
export type { Secret, SecretOf } from './secret.ts';
export { SignatureError, type SignatureErrorCode } from './signature-error.ts';
export type { HeaderValue } from './signature-header.ts';
