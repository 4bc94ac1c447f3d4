import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isKnown } from '../records/entity-tags.ts';

/** A response body that does not change while the process runs, both uncompressed and compressed. */
export type CompressedResponse = { tag: string; plain: Buffer; compressed: Buffer };

/** Compresses a text once, so that it is not compressed again for each request. */
export const compressOnce = async (text: string): Promise<CompressedResponse> => {
  const plain = Buffer.from(text);
  return {
    tag: `"${createHash('sha256').update(plain).digest('base64url')}"`,
    plain,
    compressed: await promisify(gzip)(plain),
  };
};

/** Whether the caller accepts gzip (RFC 9110, section 12.5.3). */
const acceptsGzip = ({ headers }: FastifyRequest): boolean => {
  const codings = (headers['accept-encoding'] ?? '').toLowerCase().split(',');
  const weights = new Map(
    codings.map((coding) => {
      const [name = '', weight = ''] = coding.split(';');
      return [name.trim(), !/^\s*q=0(\.0*)?\s*$/.test(weight)] as const;
    }),
  );
  return weights.get('gzip') ?? weights.get('*') ?? false;
};

/**
 * Sends the response, or 304 if the caller already has it. The tag is weak, because it is the same with and without
 * compression.
 */
export const sendCompressed = (
  request: FastifyRequest,
  reply: FastifyReply,
  { tag, plain, compressed }: CompressedResponse,
): FastifyReply => {
  reply.header('Vary', 'accept-encoding').header('ETag', `W/${tag}`);
  if (isKnown(request, tag)) return reply.status(304).send();
  if (!acceptsGzip(request)) return reply.send(plain);
  return reply.header('Content-Encoding', 'gzip').send(compressed);
};
