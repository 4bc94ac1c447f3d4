/**
 * Verifies and creates the signature of Chairside webhooks. Synchronous, with `node:crypto`. For runtimes that have
 * only WebCrypto, use `@chairside/signing/web`.
 *
 * @module
 */
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { WebhookEvent } from './event.ts';
import {
  checkOptions,
  type SignedRequest,
  type SignerOptions,
  type SignOptions,
  type UnsignedMessage,
  type Verified,
  type VerifierOptions,
  type VerifyOptions,
} from './options.ts';
import { parseEvent } from './parse-event.ts';
import { readBody } from './raw-body.ts';
import { hintOf, readFound, readSecrets } from './secret.ts';
import { mismatch } from './signature-error.ts';
import { parseHeader } from './signature-header.ts';
import { checkAge, readNow, readTimestamp, readTolerance } from './time.ts';

export * from './both-entries.ts';

/**
 * Signs many messages with one secret; see {@link createSigner}.
 *
 * @example
 * const signer: Signer = createSigner({ secret });
 */
export interface Signer {
  /** The value of `X-Service-Signature` for this message. */
  sign(message: UnsignedMessage): string;
}

/**
 * Verifies many requests with one secret; see {@link createVerifier}.
 *
 * @example
 * const webhooks: Verifier = createVerifier({ secret });
 */
export interface Verifier {
  /** Returns only if the signature and its age are valid. @throws {SignatureError} in every other case */
  verify(request: SignedRequest): Verified;
  /** Verifies the signature, then parses the body. @throws {SignatureError} if either fails */
  unwrap(request: SignedRequest): WebhookEvent;
}

/**
 * Creates the value of `X-Service-Signature`.
 *
 * @example
 * const header = sign({ body: '{"id":"1"}', secret, timestamp: Math.floor(Date.now() / 1000) });
 * // t=1700000000,v1=5257a869...
 */
export function sign(options: SignOptions): string {
  checkOptions(options);
  return signWith(readSecrets(options.secret), options);
}

/**
 * Like {@link sign}, but prepares the key once. Use it to sign many messages.
 *
 * @example
 * const signer = createSigner({ secret });
 * const header = signer.sign({ body, timestamp: Math.floor(Date.now() / 1000) });
 */
export function createSigner(options: SignerOptions): Signer {
  checkOptions(options);
  const keys = readSecrets(options.secret).map(prepareKey);
  return { sign: (message) => signWith(keys, message) };
}

/**
 * Returns only if the service signed this body with this secret within the tolerance.
 *
 * @throws {SignatureError} in every other case
 *
 * @example
 * const { timestamp } = verify({ body: rawBody, header: signatureHeader(request), secret });
 */
export function verify(options: VerifyOptions): Verified {
  return verifyWith(
    chooser(options, (secret) => secret),
    readTolerance(options.tolerance),
    options,
  );
}

/**
 * Verifies the request like {@link verify}, then parses its body.
 *
 * @returns the event, whose type depends on its field `event`
 *
 * @example
 * const event = unwrap({ body: rawBody, header: signatureHeader(request), secret });
 * if (event.event === 'patient.created') console.log(event.data.name);
 */
export function unwrap(options: VerifyOptions): WebhookEvent {
  verify(options);
  return parseEvent(readBody(options.body));
}

/**
 * Like {@link verify} and {@link unwrap}, but prepares the key once. An invalid secret or tolerance throws here, at
 * start-up, and not at the first request.
 *
 * @example
 * const webhooks = createVerifier({ secret: process.env.CHAIRSIDE_WEBHOOK_SECRET });
 * const event = webhooks.unwrap({ body: rawBody, header: signatureHeader(request) });
 */
export function createVerifier(options: VerifierOptions): Verifier {
  const choose = chooser(options, prepareKey);
  const tolerance = readTolerance(options.tolerance);
  return {
    verify: (request) => verifyWith(choose, tolerance, request),
    unwrap(request) {
      verifyWith(choose, tolerance, request);
      return parseEvent(readBody(request.body));
    },
  };
}

/** A string key is encoded and copied for each HMAC. A KeyObject avoids that. */
type Key = string | KeyObject;

// A KeyObject is used, because a Buffer would make each call six times as expensive on Node 24.
function prepareKey(secret: string): KeyObject {
  return createSecretKey(secret, 'utf8');
}

function signWith(keys: readonly Key[], message: UnsignedMessage): string {
  const t = String(readTimestamp(message.timestamp));
  const body = readBody(message.body);
  let header = `t=${t}`;
  for (const key of keys) header += `,v1=${startMac(key, t, body).digest('hex')}`;
  return header;
}

/** The keys for verifying, and their secrets. If no key matches, the form of the secrets determines the hint. */
type Prepared = { keys: readonly Key[]; secrets: readonly string[] };

/** Returns the keys of a request. A function of the caller is called for each request, and its secrets are not kept. */
type Choose = (request: SignedRequest) => Prepared;

function chooser(options: VerifierOptions, prepare: (secret: string) => Key): Choose {
  checkOptions(options);
  const { secret } = options;
  if (typeof secret !== 'function') {
    const secrets = readSecrets(secret);
    const prepared = { keys: secrets.map(prepare), secrets };
    return () => prepared;
  }
  return (request) => {
    const secrets = readFound(secret(request.subscriptionId ?? ''));
    return { keys: secrets, secrets };
  };
}

function verifyWith(choose: Choose, tolerance: number, request: SignedRequest): Verified {
  const now = readNow(request.now);
  const raw = readBody(request.body);
  const { t, timestamp, signatures } = parseHeader(request.header);
  const { keys, secrets } = choose(request);
  // A text is encoded once, and not again for each key.
  const body = typeof raw === 'string' && keys.length > 1 ? Buffer.from(raw) : raw;
  for (const key of keys) {
    const expected = computeMac(key, t, body);
    let equal = false;
    for (const signature of signatures) equal = timingSafeEqual(expected, signature) || equal;
    if (equal) return checkAge(timestamp, now, tolerance);
  }
  throw mismatch(hintOf(secrets));
}

function startMac(key: Key, t: string, body: string | Uint8Array) {
  return createHmac('sha256', key).update(`${t}.`).update(body);
}

// The digest is a binary string. A Buffer would be the most expensive step of a short HMAC on Node and take twice as
// long.
function computeMac(key: Key, t: string, body: string | Uint8Array): Uint8Array {
  const text = startMac(key, t, body).digest('binary');
  const bytes = new Uint8Array(32);
  for (let index = 0; index < 32; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}
