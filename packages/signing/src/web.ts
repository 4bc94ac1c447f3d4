/**
 * Verifies and creates the signature of Chairside webhooks. Asynchronous, with WebCrypto, so it also runs in edge
 * runtimes and workers. Its names and errors are the same as those of `@chairside/signing`.
 *
 * @module
 */
import type { WebhookEvent } from './event.ts';
import {
  checkOptions,
  type SignedRequest,
  type SignerOptions,
  type SignOptions,
  type VerifierOptions as SynchronousOptions,
  type UnsignedMessage,
  type Verified,
} from './options.ts';
import { parseEvent } from './parse-event.ts';
import { readBody } from './raw-body.ts';
import { hintOf, readFound, readSecrets, type Secret, type SecretOf } from './secret.ts';
import { mismatch, SignatureError } from './signature-error.ts';
import { parseHeader } from './signature-header.ts';
import { checkAge, readNow, readTimestamp, readTolerance } from './time.ts';

export * from './both-entries.ts';

/**
 * The options of a verifier; a function may return the secret as a promise.
 *
 * @example
 * const options: VerifierOptions = { secret: async (subscriptionId) => (subscriptionId === '01JB0…' ? secret : undefined) };
 */
export interface VerifierOptions extends Omit<SynchronousOptions, 'secret'> {
  readonly secret: Secret | SecretOf<Secret | undefined | Promise<Secret | undefined>> | undefined;
}

/**
 * The options of `verify` and `unwrap`.
 *
 * @example
 * const options: VerifyOptions = { body, header, secret, tolerance: false };
 */
export interface VerifyOptions extends VerifierOptions, SignedRequest {}

/**
 * Signs many messages with one secret; see {@link createSigner}.
 *
 * @example
 * const signer: Signer = createSigner({ secret });
 */
export interface Signer {
  /** The value of `X-Service-Signature` for this message. */
  sign(message: UnsignedMessage): Promise<string>;
}

/**
 * Verifies many requests with one secret; see {@link createVerifier}.
 *
 * @example
 * const webhooks: Verifier = createVerifier({ secret });
 */
export interface Verifier {
  /** Resolves if the signature and its age are valid. Rejects with {@link SignatureError} in every other case. */
  verify(request: SignedRequest): Promise<Verified>;
  /** Verifies the signature, then parses the body. Rejects with {@link SignatureError} if either fails. */
  unwrap(request: SignedRequest): Promise<WebhookEvent>;
}

/**
 * Creates the value of `X-Service-Signature`.
 *
 * @example
 * const header = await sign({ body: '{"id":"1"}', secret, timestamp: Math.floor(Date.now() / 1000) });
 * // t=1700000000,v1=5257a869...
 */
export async function sign(options: SignOptions): Promise<string> {
  return createSigner(options).sign(options);
}

/**
 * Like {@link sign}, but imports the key once. Use it to sign many messages.
 *
 * @example
 * const signer = createSigner({ secret });
 * const header = await signer.sign({ body, timestamp: Math.floor(Date.now() / 1000) });
 */
export function createSigner(options: SignerOptions): Signer {
  checkOptions(options);
  const keys = readSecrets(options.secret).map(lazyKey);
  return {
    async sign(message) {
      const t = String(readTimestamp(message.timestamp));
      const signed = joinMessage(t, readBody(message.body));
      let header = `t=${t}`;
      for (const key of keys) header += `,v1=${toHex(await computeMac(key, signed))}`;
      return header;
    },
  };
}

/**
 * Resolves if the service signed this body with this secret within the tolerance. Rejects with {@link SignatureError}
 * in every other case, so never forget the `await`.
 *
 * @example
 * const { timestamp } = await verify({ body: await request.arrayBuffer(), header: signatureHeader(request), secret });
 */
export async function verify(options: VerifyOptions): Promise<Verified> {
  return createVerifier(options).verify(options);
}

/**
 * Verifies the request like {@link verify}, then parses its body. Resolves with the event, whose type
 * depends on its field `event`.
 *
 * @example
 * const event = await unwrap({ body: await request.arrayBuffer(), header: signatureHeader(request), secret });
 * if (event.event === 'patient.created') console.log(event.data.name);
 */
export async function unwrap(options: VerifyOptions): Promise<WebhookEvent> {
  return createVerifier(options).unwrap(options);
}

/**
 * Like {@link verify} and {@link unwrap}, but imports the key once. An invalid secret or tolerance throws here, at
 * start-up, and not at the first request. The key is imported at the first request, because some edge runtimes allow no
 * asynchronous work before it.
 *
 * @example
 * const webhooks = createVerifier({ secret: env.CHAIRSIDE_WEBHOOK_SECRET });
 * const event = await webhooks.unwrap({ body: await request.arrayBuffer(), header: signatureHeader(request) });
 */
export function createVerifier(options: VerifierOptions): Verifier {
  const choose = chooser(options);
  const tolerance = readTolerance(options.tolerance);
  return {
    async verify(request) {
      return (await verifyWith(choose, tolerance, request)).verified;
    },
    async unwrap(request) {
      return parseEvent((await verifyWith(choose, tolerance, request)).body);
    },
  };
}

// The type is derived from the global object, because the types of some consumers and runtimes do not declare these
// names.
type Subtle = typeof globalThis.crypto.subtle;
type LazyKey = () => ReturnType<Subtle['importKey']>;

function lazyKey(secret: string): LazyKey {
  let imported: ReturnType<LazyKey> | undefined;
  return () => {
    imported ??= subtle().importKey('raw', encoder.encode(secret), HMAC, false, ['sign']);
    return imported;
  };
}

const encoder = new TextEncoder();
const HMAC = { name: 'HMAC', hash: 'SHA-256' };

function subtle(): Subtle {
  const found = globalThis.crypto?.subtle;
  if (found) return found;
  throw new SignatureError(
    'no_crypto',
    'There is no crypto.subtle. Browsers have it on https pages, Node since version 20.',
  );
}

/** The keys for verifying, and their secrets. If no key matches, the form of the secrets determines the hint. */
type Prepared = { keys: readonly LazyKey[]; secrets: readonly string[] };

const prepared = (secrets: readonly string[]): Prepared => ({ keys: secrets.map(lazyKey), secrets });

/** Returns the keys of a request. A function of the caller is called for each request, and its secrets are not kept. */
function chooser(options: VerifierOptions): (request: SignedRequest) => Prepared | Promise<Prepared> {
  checkOptions(options);
  const { secret } = options;
  if (typeof secret === 'function')
    return async (request) => prepared(readFound(await secret(request.subscriptionId ?? '')));
  const fixed = prepared(readSecrets(secret));
  return () => fixed;
}

/**
 * Copies the bytes before the first await, because the caller may change them afterwards. The parsed bytes are
 * therefore the verified bytes.
 */
async function verifyWith(choose: ReturnType<typeof chooser>, tolerance: number, request: SignedRequest) {
  const now = readNow(request.now);
  const body = readBody(request.body);
  const { t, timestamp, signatures } = parseHeader(request.header);
  const signed = joinMessage(t, body);
  const { keys, secrets } = await choose(request);
  const macs = await Promise.all(keys.map((key) => computeMac(key, signed)));
  // `filter` compares with every signature, whether an earlier one is equal or not.
  if (macs.some((mac) => signatures.filter((signature) => equalBytes(mac, signature)).length)) {
    const verified = checkAge(timestamp, now, tolerance);
    return { verified, body: typeof body === 'string' ? body : signed.subarray(t.length + 1) };
  }
  throw mismatch(hintOf(secrets));
}

function joinMessage(t: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return encoder.encode(`${t}.${body}`);
  const joined = new Uint8Array(t.length + 1 + body.length);
  joined.set(encoder.encode(`${t}.`));
  joined.set(body, t.length + 1);
  return joined;
}

async function computeMac(key: LazyKey, message: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await subtle().sign('HMAC', await key(), message));
}

// Both arrays have 32 bytes. WebCrypto has no function that compares two arrays in constant time, so this loop takes
// the same steps for any content.
function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  let difference = left.length ^ right.length;
  for (let index = 0; index < 32; index++) difference |= (left[index] ?? 0) ^ (right[index] ?? 0);
  return difference === 0;
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
