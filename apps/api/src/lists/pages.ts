import { counted, isWorkSpent, MAX_WORK_MS, startSlice } from '@chairside/concurrency';
import type { ResourceLimit } from '@chairside/domain';
import { disconnected } from '@chairside/http-server';
import type { Secrets, TimePosition } from '@chairside/mongodb';
import type { FastifyReply } from 'fastify';
import { type CursorPlace, cursorsOf, type Position } from './cursors.ts';
import { MAX_LIMIT } from './query.ts';
import { MAX_CHUNK, sendHeadOfList, slicesOf, streamOf } from './streamed-list.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether each page of this list has `X-Resume-Cursor`. */
    resumable?: true;
  }
}

/** The largest page, in bytes, unless its first row alone is larger. */
const MAX_PAGE_BYTES = 8_388_608;

export const pageLimits: readonly ResourceLimit[] = [
  {
    id: 'page_rows',
    part: 'Reading',
    resource: 'Rows of a page',
    value: MAX_LIMIT,
    unit: 'rows',
    beyond: '400 ValidationError',
    metric: 'chairside_api_refusals_total',
  },
  {
    id: 'page_bytes',
    part: 'Reading',
    resource: 'Size of a page',
    value: MAX_PAGE_BYTES / 2 ** 20,
    unit: 'MiB',
    beyond: 'the page ends, and its cursor leads to the next row',
  },
  {
    id: 'request_computing',
    part: 'Reading',
    resource: 'Time for which the process computes for one page or one search for free slots',
    value: MAX_WORK_MS,
    unit: 'ms',
    beyond:
      'the page ends, and its cursor leads to the next row; 503 ServiceUnavailable for a search for free slots',
    metric: 'chairside_api_refusals_total',
  },
];

export type PageRequest<R> = CursorPlace & {
  limit: number;
  /** The maximum size of a page, in bytes. Default: `MAX_PAGE_BYTES`. */
  maxBytes?: number | undefined;
  cursor?: string | undefined;
  /** Reads at most `count` rows after a position. The position is undefined for the first page. */
  read(position: Position | undefined, count: number): AsyncIterable<R>;
  /** Returns the position at which a page with this last row ends. */
  positionOf(row: R): Position;
  stringify(row: R): string;
  /** Called for each row that the page takes. */
  taken?(row: R): void;
  /** Resolves when the rows of the page may be sent. */
  release?(): Promise<void>;
  /**
   * Returns the position at which `read` stopped although the list may have further rows. Undefined if it read to the
   * end of the list.
   */
  stoppedAt?(): Position | undefined;
  /** For lists with `resumeFilter`: returns where a reader of this page continues later. */
  resumeAt?(hasNext: boolean): Position;
};

type Page = { chunks: Buffer[]; isStream: boolean; next?: Position };

/** Reads rows until the list ends, or until the page has `limit` rows, reaches `maxBytes` or has taken `MAX_WORK_MS`. */
const readPage = async <R>(
  reply: FastifyReply,
  { limit, maxBytes = MAX_PAGE_BYTES, read, positionOf, stringify, taken, stoppedAt }: PageRequest<R>,
  position: Position | undefined,
): Promise<Page> => {
  const page: Page = { chunks: [], isStream: false };
  let size = 0;
  let end: Position | undefined;
  const slice = startSlice();
  // Reads one row more than the page has, to find out whether there is a next page.
  for await (const row of read(position, limit + 1)) {
    if (reply.raw.destroyed) throw disconnected();
    if (end !== undefined && (page.chunks.length === limit || isWorkSpent())) return { ...page, next: end };
    const separator = end === undefined ? '[' : ',';
    const bytes = counted(() => Buffer.from(separator + stringify(row)));
    if (end !== undefined && size + bytes.length > maxBytes) return { ...page, next: end };
    size += bytes.length;
    if (size > MAX_CHUNK && !page.isStream) {
      reply.server.listAdmission.openStream(reply);
      page.isStream = true;
    }
    page.chunks.push(bytes);
    taken?.(row);
    end = positionOf(row);
    // Some lists read several rows at once, and then return them without a pause.
    if (slice.isOver()) await slice.pause();
  }
  const next = stoppedAt?.();
  return next === undefined ? page : { ...page, next };
};

/**
 * Returns a function that sends one page of a list. If there is a next page, `Link` and `X-Next-Cursor` refer to it.
 * The whole page is read into memory before it is sent, because these headers depend on its last row.
 *
 * @throws {Refusal} ValidationError for a cursor that does not belong to this list and filter, and the refusals of
 *   `listAdmission`
 */
export const pagesOf = (secrets: Secrets) => {
  const cursors = cursorsOf(secrets);
  return async <R>(reply: FastifyReply, request: PageRequest<R>): Promise<FastifyReply> => {
    const position = request.cursor === undefined ? undefined : cursors.open(request, request.cursor);
    if (reply.request.method === 'HEAD') return sendHeadOfList(reply);
    const { chunks, isStream, next } = await reply.server.listAdmission.inTurn(reply, () =>
      readPage(reply, request, position),
    );
    await request.release?.();
    if (next !== undefined) cursors.announceNext(reply, request, next);
    if (request.resumeAt) cursors.announceResume(reply, request, request.resumeAt(next !== undefined));
    chunks.push(Buffer.from(chunks.length === 0 ? '[]' : ']'));
    reply.type('application/json; charset=utf-8');
    return reply.send(isStream ? streamOf(reply.request, slicesOf(chunks)) : Buffer.concat(chunks));
  };
};

export type TimePageRequest<R> = Omit<PageRequest<R>, 'read' | 'positionOf' | 'stoppedAt'> & {
  read(position: TimePosition | undefined, count: number): AsyncIterable<R>;
  stoppedAt?(): TimePosition | undefined;
  /** Returns the time that the list is ordered by, before `_id`. */
  timeOf(row: R): Date | string;
};

const toPosition = ({ time, _id }: TimePosition): Position => [time.toISOString(), _id];

/** Like {@link pagesOf}, for lists that are ordered by a time. */
export const timePagesOf = (secrets: Secrets) => {
  const sendPage = pagesOf(secrets);
  return <R extends { _id: string }>(
    reply: FastifyReply,
    { read, timeOf, stoppedAt, ...page }: TimePageRequest<R>,
  ): Promise<FastifyReply> =>
    sendPage<R>(reply, {
      ...page,
      read: ([time, _id] = [], count) => read(time && _id ? { time: new Date(time), _id } : undefined, count),
      positionOf: (row) => toPosition({ time: new Date(timeOf(row)), _id: row._id }),
      stoppedAt() {
        const position = stoppedAt?.();
        return position && toPosition(position);
      },
    });
};
