import { SignatureError } from './signature-error.ts';

/**
 * The exact bytes of a body, as sent or received. A `Buffer` is a `Uint8Array`. A string is encoded as UTF-8.
 * Prefer bytes: text was decoded from bytes, which may have changed it.
 *
 * @example
 * const body: RawBody = await request.arrayBuffer();
 */
export type RawBody = string | Uint8Array | ArrayBuffer;

// These getters recognize buffers of other realms (Jest, vm contexts), where instanceof fails. No other object can
// pretend to be bytes.
function getter(prototype: object, key: PropertyKey): (this: unknown) => unknown {
  return Object.getOwnPropertyDescriptor(prototype, key)?.get as (this: unknown) => unknown;
}
const typedArrayName = getter(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag);
const bufferLength = getter(ArrayBuffer.prototype, 'byteLength');

/**
 * Returns the body in a form that can be hashed. Refuses a body that is not raw, and explains how to get the raw
 * body.
 */
export function readBody(body: RawBody): string | Uint8Array {
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (isUint8Array(body)) return body;
  if (isArrayBuffer(body)) {
    try {
      return new Uint8Array(body);
    } catch {
      throw notRaw('body is a transferred ArrayBuffer. Verify it before you transfer it.');
    }
  }
  throw notRaw(describe(body));
}

/** Whether the value is a Uint8Array, including one of another realm, which `instanceof` does not recognize. */
function isUint8Array(value: unknown): value is Uint8Array {
  return typedArrayName.call(value) === 'Uint8Array';
}

function isArrayBuffer(value: unknown): value is ArrayBuffer {
  try {
    bufferLength.call(value);
    return true;
  } catch {
    return false;
  }
}

function describe(body: unknown): string {
  if (typeof body !== 'object' || body === null) {
    return `body is ${body === null ? 'null' : typeof body}. ${HINT}`;
  }
  const has = (method: string) => typeof Reflect.get(body, method) === 'function';
  if (has('then')) return 'body is a promise. Await it first.';
  if (has('arrayBuffer')) return 'body is a request or a Blob. Pass await request.arrayBuffer().';
  if (has('pipe') || has('getReader')) {
    return 'body is a stream. Read it and pass the joined bytes: Buffer.concat(chunks).';
  }
  if (ArrayBuffer.isView(body))
    return 'body is a view that is not a Uint8Array. Pass the same bytes as a Uint8Array.';
  if (Reflect.get(body, 'type') === 'Buffer') {
    return 'body is a Buffer that was converted to JSON. Pass Buffer.from(body.data).';
  }
  return `body was parsed, but the signature covers the raw bytes. ${HINT}`;
}

const HINT =
  'Get the raw bytes. ' +
  "Express: express.raw({ type: 'application/json' }) on this route, and no express.json() before. " +
  "Fastify: addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => done(null, body)). " +
  'Next.js, Workers: await request.arrayBuffer(). Hono: await c.req.arrayBuffer(). ' +
  'NestJS: NestFactory.create(App, { rawBody: true }), then request.rawBody. ' +
  "Lambda: Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8').";

function notRaw(message: string): SignatureError {
  return new SignatureError('body_not_raw', message);
}
