import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsGzip, varyByEncoding } from '../http/compressed-responses.ts';
import { isKnown } from '../records/entity-tags.ts';

/** A response body that does not change while the process runs, both uncompressed and compressed. */
export type CompressedResponse = { tag: string; plain: Buffer; compressed: Buffer };

const compress = async (text: string): Promise<CompressedResponse> => {
  const plain = Buffer.from(text);
  return {
    tag: `"${createHash('sha256').update(plain).digest('base64url')}"`,
    plain,
    compressed: await promisify(gzip)(plain),
  };
};

/**
 * Returns a function that loads and compresses a text at its first call, so that it is not compressed again for each
 * request. If that fails, the next call tries again.
 */
export const loadedOnce = (load: () => Promise<string>): (() => Promise<CompressedResponse>) => {
  let loaded: Promise<CompressedResponse> | undefined;
  return () => {
    loaded ??= load()
      .then(compress)
      .catch((error: unknown) => {
        loaded = undefined;
        throw error;
      });
    return loaded;
  };
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
  varyByEncoding(reply);
  reply.header('ETag', `W/${tag}`);
  if (isKnown(request, tag)) return reply.status(304).send();
  if (!acceptsGzip(request)) return reply.send(plain);
  return reply.header('Content-Encoding', 'gzip').send(compressed);
};
