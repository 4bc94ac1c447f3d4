import { SignatureError } from './signature-error.ts';

/**
 * A body exactly as it is sent or as it arrived. A `Buffer` is a `Uint8Array`; a string stands for its UTF-8.
 * Prefer bytes: text was decoded once already.
 *
 * @example
 * const body: RawBody = await request.arrayBuffer();
 */
export type RawBody = string | Uint8Array | ArrayBuffer;

// Getters of the language know their own kind across realms (Jest, vm contexts), where instanceof fails,
// and no object can pass itself off as bytes to them.
function getter(prototype: object, key: PropertyKey): (this: unknown) => unknown {
  return Object.getOwnPropertyDescriptor(prototype, key)?.get as (this: unknown) => unknown;
}
const typedArrayName = getter(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag);
const bufferLength = getter(ArrayBuffer.prototype, 'byteLength');

/** The body as something to hash; refuses what is not raw and tells how to get it raw. */
export function readBody(body: RawBody): string | Uint8Array {
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (typedArrayName.call(body) === 'Uint8Array') return body as unknown as Uint8Array;
  if (isArrayBuffer(body)) {
    try {
      return new Uint8Array(body);
    } catch {
      throw notRaw('body is an ArrayBuffer that was transferred away. Verify before you transfer it.');
    }
  }
  throw notRaw(describe(body));
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
    return `body is ${body === null ? 'null' : typeof body}. ${CURES}`;
  }
  const has = (method: string) => typeof Reflect.get(body, method) === 'function';
  if (has('then')) return 'body is a promise. Await it first.';
  if (has('arrayBuffer')) return 'body is an object to read bytes from. Pass await request.arrayBuffer().';
  if (has('pipe') || has('getReader')) {
    return 'body is a stream. Read it to its end and pass the joined bytes: Buffer.concat(chunks).';
  }
  if (ArrayBuffer.isView(body)) return 'body is a view of another kind. Pass the same bytes as a Uint8Array.';
  if (Reflect.get(body, 'type') === 'Buffer') {
    return 'body is a Buffer that went through JSON. Pass Buffer.from(body.data), or better keep it from JSON.';
  }
  return `body was parsed, and what is signed is the bytes before that. ${CURES}`;
}

const CURES =
  'Get the raw bytes. ' +
  "Express: express.raw({ type: 'application/json' }) on this route, with no express.json() before it. " +
  "Fastify: addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => done(null, body)). " +
  'Next.js route handler, Cloudflare Workers: await request.arrayBuffer(). Hono: await c.req.arrayBuffer(). ' +
  'NestJS: NestFactory.create(App, { rawBody: true }), then request.rawBody. ' +
  "Lambda: Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8').";

function notRaw(message: string): SignatureError {
  return new SignatureError('body_not_raw', message);
}
