import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isKnown } from '../records/entity-tags.ts';

/** An answer that never changes while the process runs, in both of its codings. */
export type KeptAnswer = { tag: string; plain: Buffer; compressed: Buffer };

/** Compresses the text once: by itself it would be compressed for every caller, whoever it is. */
export const keepAnswer = async (text: string): Promise<KeptAnswer> => {
  const plain = Buffer.from(text);
  return {
    tag: `"${createHash('sha256').update(plain).digest('base64url')}"`,
    plain,
    compressed: await promisify(gzip)(plain),
  };
};

/** Whether the caller takes gzip (RFC 9110, section 12.5.3). */
const takesGzip = ({ headers }: FastifyRequest): boolean => {
  const codings = (headers['accept-encoding'] ?? '').toLowerCase().split(',');
  const weights = new Map(
    codings.map((coding) => {
      const [name = '', weight = ''] = coding.split(';');
      return [name.trim(), !/^\s*q=0(\.0*)?\s*$/.test(weight)] as const;
    }),
  );
  return weights.get('gzip') ?? weights.get('*') ?? false;
};

/** Answers with it, or with 304 when the caller has it already. The tag is weak, for it is the same in both codings. */
export const sendKept = (
  request: FastifyRequest,
  reply: FastifyReply,
  { tag, plain, compressed }: KeptAnswer,
): FastifyReply => {
  reply.header('Vary', 'accept-encoding').header('ETag', `W/${tag}`);
  if (isKnown(request, tag)) return reply.status(304).send();
  if (!takesGzip(request)) return reply.send(plain);
  return reply.header('Content-Encoding', 'gzip').send(compressed);
};
