/**
 * What a bundler for browsers or edge runtimes gets in place of the default entry, which needs `node:crypto`.
 * It is no silent switch to WebCrypto: that one is asynchronous, and a `verify` that nobody awaits accepts anything.
 *
 * @module
 */
import { SignatureError } from './signature-error.ts';

export * from './both-entries.ts';

function unavailable(): never {
  throw new SignatureError(
    'no_crypto',
    'This build is for a browser or an edge runtime, without node:crypto. Import from "@chairside/signing/web" and await each call. (Jest with jsdom: add the docblock "@jest-environment node".)',
  );
}

export {
  unavailable as createSigner,
  unavailable as createVerifier,
  unavailable as sign,
  unavailable as unwrap,
  unavailable as verify,
};
