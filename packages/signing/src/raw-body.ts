import { SignatureError } from './signature-error.ts';

/** The body exactly as it arrived. A `Buffer` is a `Uint8Array`. Strings stand for their UTF-8. */
export type RawBody = string | Uint8Array | ArrayBuffer;

// The getters recognise values of other realms (Jest, vm contexts), where instanceof does not, and cannot be fooled.
const typedArrayName = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype),
  Symbol.toStringTag,
)?.get as (this: unknown) => string | undefined;

/** The body as something to hash; refuses all that is not raw, with the way to get it raw. */
export function readBody(body: RawBody): string | Uint8Array {
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (typedArrayName.call(body) === 'Uint8Array') return body as unknown as Uint8Array;
  if (Object.prototype.toString.call(body) === '[object ArrayBuffer]') {
    try {
      return new Uint8Array(body);
    } catch {
      notRaw('body is an ArrayBuffer that was transferred away. Verify before you transfer it.');
    }
  }
  notRaw(describe(body));
}

function describe(body: unknown): string {
  if (typeof body !== 'object' || body === null)
    return `body is ${body === null ? 'null' : typeof body}. ${CURES}`;
  if ('then' in body) return 'body is a promise. Await it first.';
  if ('arrayBuffer' in body) return 'body is a Request, Response or Blob. Pass await request.arrayBuffer().';
  if ('pipe' in body || 'getReader' in body) {
    return 'body is a stream. Read it to its end and pass the joined bytes, for example Buffer.concat(chunks).';
  }
  if (ArrayBuffer.isView(body))
    return 'body is a view other than Uint8Array. Pass the bytes as a Uint8Array.';
  return `body was parsed already, and the signature covers the bytes before parsing. ${CURES}`;
}

const CURES =
  'Get the raw bytes: ' +
  "Express: express.raw({ type: 'application/json' }) on this route, before express.json(). " +
  "Fastify: addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => done(null, body)). " +
  'Next.js route handler, Workers: await request.arrayBuffer(). Hono: await c.req.arrayBuffer(). ' +
  'NestJS: rawBody: true and request.rawBody. ' +
  "Lambda: Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8').";

function notRaw(message: string): never {
  throw new SignatureError('body_not_raw', message);
}
