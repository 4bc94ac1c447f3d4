import { finished, Readable } from 'node:stream';
import { MAX_AUDITED_IDS } from '@chairside/domain';
import type { FastifyReply } from 'fastify';

/** Rows are joined to chunks of at most this size, in bytes; a larger row is a chunk of its own. */
export const MAX_CHUNK = 262_144;
/** A chunk leaves in slices of this size, in bytes: so much must a reader take before its answer counts as stalled. */
const SLICE = 65_536;

/**
 * @param ids of the rows that are about to leave
 * @param part which chunk of the list they are, from 1
 * @returns resolves when they may leave
 */
type Release = (ids: string[], part: number) => Promise<void>;

export type RowList<R> = {
  rows: AsyncIterable<R>;
  stringify(row: R): string;
  release: Release;
};

/**
 * The text of the list, chunk by chunk; the last chunk is what it returns.
 *
 * @param openStream called before the first chunk leaves, if there are more
 */
async function* jsonArray<R extends { _id: string }>(
  { rows, stringify, release }: RowList<R>,
  openStream: () => void,
): AsyncGenerator<Buffer, Buffer> {
  // Bytes at once: a string that is put together of small ones keeps them all alive until it is sent.
  let chunk: Buffer[] = [];
  let length = 0;
  let separator = '[';
  let ids: string[] = [];
  let part = 1;
  for await (const row of rows) {
    const bytes = Buffer.from(separator + stringify(row));
    if (ids.length > 0 && (length + bytes.length > MAX_CHUNK || ids.length === MAX_AUDITED_IDS)) {
      if (part === 1) openStream();
      await release(ids, part++);
      yield Buffer.concat(chunk);
      chunk = [];
      length = 0;
      ids = [];
    }
    chunk.push(bytes);
    length += bytes.length;
    separator = ',';
    ids.push(row._id);
  }
  await release(ids, part);
  chunk.push(Buffer.from(part === 1 && ids.length === 0 ? '[]' : ']'));
  return Buffer.concat(chunk);
}

function* slices(chunk: Buffer): Generator<Buffer, void> {
  for (let from = 0; from < chunk.length; from += SLICE) yield chunk.subarray(from, from + SLICE);
}

async function* startingWith(first: Buffer, rest: AsyncGenerator<Buffer, Buffer>) {
  yield* slices(first);
  for (;;) {
    const { value, done } = await rest.next();
    yield* slices(value);
    if (done) return;
  }
}

/** A body that is made while it is read. */
export const streamOf = (slicesOfIt: AsyncIterable<Buffer> | Iterable<Buffer>): Readable =>
  Readable.from(slicesOfIt, { objectMode: false, highWaterMark: SLICE });

/** Cuts chunks that are in memory into slices, and lets go of each that has been taken. */
export function* slicesOf(chunks: Buffer[]): Generator<Buffer, void> {
  for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) yield* slices(chunk);
}

/** The headers of a list without its rows: none is read, and none is shown. */
export const sendHeadOfList = (reply: FastifyReply): FastifyReply =>
  // A stream, whose length nobody knows: without it the answer would claim a length of 0 (RFC 9110, section 8.6).
  reply.type('application/json; charset=utf-8').send(Readable.from([]));

/**
 * Answers with a bare JSON array of any length in constant memory. An error before the first chunk is an ordinary one;
 * later the connection is broken, so that what arrived is not valid JSON. A caller who goes away ends `rows`.
 *
 * @throws {Refusal} when the list is longer than a chunk and too many streams are open
 */
export const sendList = async <R extends { _id: string }>(
  reply: FastifyReply,
  list: RowList<R>,
): Promise<FastifyReply> => {
  if (reply.request.method === 'HEAD') return sendHeadOfList(reply);
  const { listAdmission } = reply.server;
  const chunks = jsonArray(list, () => listAdmission.openStream(reply));
  const first = await listAdmission.inTurn(reply, () => chunks.next());
  // Whatever ends the answer ends the list, also where the caller has gone before a byte of it was asked for.
  finished(reply.raw, () => void chunks.return(Buffer.of()).catch(() => {}));
  reply.type('application/json; charset=utf-8');
  return reply.send(first.done ? first.value : streamOf(startingWith(first.value, chunks)));
};
