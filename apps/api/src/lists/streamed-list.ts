import { AsyncLocalStorage } from 'node:async_hooks';
import { finished, Readable } from 'node:stream';
import { MAX_AUDITED_IDS } from '@chairside/domain';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PRINCIPAL_LIFE_MS } from '../http/principal-cache.ts';

/** The largest chunk of joined rows, in bytes. A larger row is a chunk of its own. */
export const MAX_CHUNK = 262_144;
/**
 * A chunk is sent in slices of this size, in bytes. A reader must take a slice before its response counts as stalled.
 */
const SLICE = 65_536;

/**
 * Called before the rows of a chunk are sent.
 *
 * @param ids the ids of the rows that are about to be sent
 * @param part the number of their chunk, from 1
 * @returns resolves when the rows may be sent
 */
type Release = (ids: string[], part: number) => Promise<void>;

export type RowList<R> = {
  rows: AsyncIterable<R>;
  stringify(row: R): string;
  release: Release;
};

/**
 * Yields the text of the list in chunks, and returns the last chunk.
 *
 * @param openStream called before the first chunk is sent, if the list has more than one
 */
async function* jsonArray<R extends { _id: string }>(
  { rows, stringify, release }: RowList<R>,
  openStream: () => void,
): AsyncGenerator<Buffer, Buffer> {
  // Buffers, because a string that is joined from small strings keeps all of them in memory until it is sent.
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

async function* startingWith(first: Buffer, next: () => Promise<IteratorResult<Buffer, Buffer>>) {
  yield* slices(first);
  for (;;) {
    const { value, done } = await next();
    yield* slices(value);
    if (done) return;
  }
}

async function* whileAuthorized(
  request: FastifyRequest,
  slicesOfIt: AsyncIterable<Buffer> | Iterable<Buffer>,
) {
  for await (const slice of slicesOfIt) {
    await request.authorizeAgain(PRINCIPAL_LIFE_MS);
    yield slice;
  }
}

/**
 * A response body that is generated while it is read. A slow reader takes minutes, and a caller that loses its access
 * during that time receives no further slices.
 */
export const streamOf = (
  request: FastifyRequest,
  slicesOfIt: AsyncIterable<Buffer> | Iterable<Buffer>,
): Readable =>
  Readable.from(whileAuthorized(request, slicesOfIt), { objectMode: false, highWaterMark: SLICE });

/** Cuts chunks into slices, and releases the memory of each chunk that has been sent. */
export function* slicesOf(chunks: Buffer[]): Generator<Buffer, void> {
  for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) yield* slices(chunk);
}

/** Sends the headers of a list without reading its rows. */
export const sendHeadOfList = (reply: FastifyReply): FastifyReply =>
  // A stream has no known length. An empty string would set Content-Length: 0, which is wrong for a HEAD of a list
  // that has rows (RFC 9110, section 8.6).
  reply.type('application/json; charset=utf-8').send(Readable.from([]));

/** Runs a part of the work of a response when it is its turn. */
type Turn = <R>(work: () => Promise<R>) => Promise<R>;

/**
 * Sends JSON that is made while it is sent. An error before the first chunk becomes a normal error response. A later error
 * closes the connection, so that the received part is not valid JSON. `chunks` ends when the caller disconnects.
 *
 * @param chunks yields the text, and returns its last chunk
 * @param first the turn in which the first chunk is made
 * @param next the turn of each later chunk
 * @throws the errors of the first turn
 */
export const sendChunks = async (
  reply: FastifyReply,
  chunks: AsyncGenerator<Buffer, Buffer>,
  first: Turn,
  next: Turn,
): Promise<FastifyReply> => {
  const { value, done } = await first(() => chunks.next());
  // Ends the work when the response ends, even if the caller disconnects before reading the first byte.
  finished(reply.raw, () => void chunks.return(Buffer.of()).catch(() => {}));
  reply.type('application/json; charset=utf-8');
  if (done) return reply.send(value);
  // A stream reads in the course of events of its connection. What is computed then is still for the request.
  const ofRequest = AsyncLocalStorage.snapshot();
  const later = () => ofRequest(() => next(() => chunks.next()));
  return reply.send(streamOf(reply.request, startingWith(value, later)));
};

/**
 * Sends a JSON array of any length in constant memory. See {@link sendChunks}.
 *
 * @throws {Refusal} the refusals of `listAdmission`
 */
export const sendList = async <R extends { _id: string }>(
  reply: FastifyReply,
  list: RowList<R>,
): Promise<FastifyReply> => {
  if (reply.request.method === 'HEAD') return sendHeadOfList(reply);
  const { listAdmission } = reply.server;
  const chunks = jsonArray(list, () => listAdmission.openStream(reply));
  // What is read later is read at the speed of the caller, so it does not wait.
  return sendChunks(
    reply,
    chunks,
    (work) => listAdmission.inTurn(reply, work),
    (work) => work(),
  );
};
