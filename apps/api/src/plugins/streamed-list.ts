import { Readable } from 'node:stream';
import { MAX_AUDITED_IDS } from '@chairside/domain';
import type { FastifyReply } from 'fastify';

/** Rows are joined to chunks of at most this size and one row more, in bytes. */
const MAX_CHUNK = 262_144;

/**
 * @param ids of the rows that are about to leave
 * @param part which chunk of the list they are, from 1
 * @returns resolves when they may leave
 */
type Release = (ids: string[], part: number) => Promise<void>;

async function* jsonArray<R extends { _id: string }>(
  rows: AsyncIterable<R>,
  stringify: (row: R) => string,
  release: Release,
): AsyncGenerator<Buffer, void> {
  // Bytes at once: a string that is put together of small ones keeps them all alive until it is sent.
  let chunk: Buffer[] = [];
  let length = 0;
  let separator = '[';
  let ids: string[] = [];
  let part = 1;
  for await (const row of rows) {
    if (length >= MAX_CHUNK || ids.length === MAX_AUDITED_IDS) {
      await release(ids, part++);
      yield Buffer.concat(chunk);
      chunk = [];
      length = 0;
      ids = [];
    }
    const bytes = Buffer.from(separator + stringify(row));
    chunk.push(bytes);
    length += bytes.length;
    separator = ',';
    ids.push(row._id);
  }
  await release(ids, part);
  chunk.push(Buffer.from(part === 1 && ids.length === 0 ? '[]' : ']'));
  yield Buffer.concat(chunk);
}

async function* startingWith(
  first: Buffer,
  rest: AsyncGenerator<Buffer, void>,
): AsyncGenerator<Buffer, void> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return();
  }
}

/**
 * Answers with a bare JSON array of any length in constant memory. An error before the first chunk is an ordinary
 * one; later the connection is broken, so that what arrived is not valid JSON. A caller who goes away ends `rows`.
 */
export const sendList = async <R extends { _id: string }>(
  reply: FastifyReply,
  rows: AsyncIterable<R>,
  stringify: (row: R) => string,
  release: Release,
): Promise<FastifyReply> => {
  const chunks = jsonArray(rows, stringify, release);
  const first = await chunks.next();
  reply.type('application/json; charset=utf-8');
  return reply.send(
    Readable.from(startingWith(first.value as Buffer, chunks), {
      objectMode: false,
      highWaterMark: MAX_CHUNK,
    }),
  );
};
