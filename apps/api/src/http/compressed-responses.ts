import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const compress = promisify(gzip);
/** A smaller response is not worth the work. */
const MIN_BYTES = 1024;

/**
 * Whether the caller accepts gzip. In `Accept-Encoding`, `*` means the codings that the header does not name (RFC 9110,
 * section 12.5.3).
 */
export const acceptsGzip = ({ headers }: FastifyRequest): boolean => {
  const accepted = new Map(
    (headers['accept-encoding'] ?? '').split(',').map((coding) => {
      const [name = '', ...parameters] = coding.split(';').map((each) => each.trim().toLowerCase());
      return [name, !parameters.some((each) => /^q=0(\.0*)?$/.test(each))] as const;
    }),
  );
  return accepted.get('gzip') ?? accepted.get('x-gzip') ?? accepted.get('*') ?? false;
};

/** Adds `Accept-Encoding` to what the response depends on, which may be `Origin` already. */
export const varyByEncoding = (reply: FastifyReply): void => {
  const names = [reply.getHeader('vary') ?? []].flat().join(', ');
  if (!names.includes('accept-encoding'))
    reply.header('vary', names === '' ? 'accept-encoding' : `${names}, accept-encoding`);
};

/**
 * Compresses a response that is not a stream in one piece. @fastify/compress would make a stream of it, which keeps the
 * response and the state of zlib in memory while a reader stalls, outside of the limit on unsent bytes.
 */
export const compressedResponses = (app: FastifyInstance): void => {
  app.addHook('onSend', async (request, reply, payload) => {
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (isWhole && Buffer.byteLength(payload) < MIN_BYTES) return payload;
    const isAccepted = acceptsGzip(request);
    // @fastify/compress would take `*` for gzip, even if the header excludes gzip.
    request.headers['accept-encoding'] = isAccepted ? 'gzip' : 'identity';
    if (!isWhole || reply.hasHeader('content-encoding')) return payload;
    varyByEncoding(reply);
    if (!isAccepted) return payload;
    const body = await compress(payload);
    reply.header('content-encoding', 'gzip').removeHeader('content-length');
    return body;
  });
};
