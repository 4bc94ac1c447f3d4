/**
 * Bundlers for browsers and edge runtimes use this file instead of the default entry, which needs `node:crypto`. It
 * does not switch to WebCrypto silently: WebCrypto is asynchronous, and a `verify` without `await` accepts
 * everything.
 *
 * @module
 */
import { SignatureError } from './signature-error.ts';

export * from './both-entries.ts';

function unavailable(): never {
  throw new SignatureError(
    'no_crypto',
    'This build is for a browser or an edge runtime, which has no node:crypto. Import from "@chairside/signing/web" and await each call. (Jest with jsdom: add the docblock "@jest-environment node".)',
  );
}

export {
  unavailable as createSigner,
  unavailable as createVerifier,
  unavailable as sign,
  unavailable as unwrap,
  unavailable as verify,
};
