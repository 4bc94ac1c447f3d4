import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';

const compress = promisify(gzip);
/** A smaller response is not worth the work. */
const MIN_BYTES = 1024;

/** Whether `Accept-Encoding` allows gzip (RFC 9110, section 12.5.3). */
const acceptsGzip = (header = ''): boolean =>
  header.split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase());
    return ['gzip', 'x-gzip', '*'].includes(name) && !parameters.some((each) => /^q=0(\.0*)?$/.test(each));
  });

/**
 * Compresses a response that is not a stream in one piece. @fastify/compress would make a stream of it, which keeps the
 * response and the state of zlib in memory while a reader stalls, outside of the limit on unsent bytes.
 */
export const compressedResponses = (app: FastifyInstance): void => {
  app.addHook('onSend', async ({ headers, method }, reply, payload) => {
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
    if (payload.length < MIN_BYTES || method === 'HEAD' || reply.hasHeader('content-encoding'))
      return payload;
    reply.header('vary', [reply.getHeader('vary') ?? [], 'accept-encoding'].flat().join(', '));
    if (!acceptsGzip(headers['accept-encoding'])) return payload;
    const body = await compress(payload);
    reply.header('content-encoding', 'gzip').removeHeader('content-length');
    return body;
  });
};
