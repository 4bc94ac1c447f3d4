import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** Rows are joined to chunks of about this size, in characters. */
const CHUNK = 65_536;

async function* jsonArray<R>(
  rows: AsyncIterable<R>,
  stringify: (row: R) => string,
): AsyncGenerator<string, void> {
  let chunk = '[';
  let separator = '';
  for await (const row of rows) {
    chunk += separator + stringify(row);
    separator = ',';
    if (chunk.length >= CHUNK) {
      yield chunk;
      chunk = '';
    }
  }
  yield `${chunk}]`;
}

async function* startingWith(
  first: string,
  rest: AsyncGenerator<string, void>,
): AsyncGenerator<string, void> {
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
export const sendList = async <R>(
  reply: FastifyReply,
  rows: AsyncIterable<R>,
  stringify: (row: R) => string,
): Promise<FastifyReply> => {
  const chunks = jsonArray(rows, stringify);
  const first = await chunks.next();
  reply.type('application/json; charset=utf-8');
  return reply.send(
    Readable.from(startingWith(first.value ?? '[]', chunks), { objectMode: false, highWaterMark: CHUNK }),
  );
};
