import { text, validationError } from '@chairside/domain';
import type { Secrets, TimePosition } from '@chairside/mongodb';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

/** The most rows on a page. */
const MAX_LIMIT = 1000;
const DEFAULT_LIMIT = 100;
const LIMIT_FORM = `must be a whole number from 1 to ${MAX_LIMIT}`;

/** How many rows a page has. */
export const limit = z
  .string()
  .regex(/^\d{1,4}$/, { abort: true, error: LIMIT_FORM })
  .transform(Number)
  .refine((value) => value >= 1 && value <= MAX_LIMIT, LIMIT_FORM)
  .meta({
    description: 'How many rows a page has at most.',
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
    examples: [DEFAULT_LIMIT],
  });

/** Where a page begins: what the page before gave out. */
export const cursor = text(2000).meta({
  description: 'Where a page begins: what `X-Next-Cursor` of the page before said, with the same filters.',
  examples: ['AbC'],
});

/** The query parameters of a list that always comes in pages. */
export const pageQuery = {
  limit: limit
    .default(DEFAULT_LIMIT)
    .describe(`How many rows a page has at most; ${DEFAULT_LIMIT} unless you say.`),
  cursor: cursor.optional(),
};

/** Where a page ended, in whatever form its list orders by. */
type Position = readonly (string | null)[];
const positionSchema = z.array(z.string().nullable());

export type PageRequest<R> = {
  /** Names the list: a cursor of another one is refused. */
  list: string;
  request: FastifyRequest;
  limit: number;
  cursor?: string | undefined;
  /** What narrows the list: a cursor of another filter is refused. */
  filter: object;
  /** Reads up to `limit` rows behind a position; undefined for the first page. */
  read(position: Position | undefined, limit: number): Promise<{ rows: R[]; next?: Position | undefined }>;
};

/**
 * A function that reads one page of a list. When there is more, `Link: <…>; rel="next"` and `X-Next-Cursor` say where
 * it goes on. A cursor is encrypted (what a list is ordered by can be patient data) and bound to its organization, list
 * and filter: any other one is refused with a ValidationError.
 */
export const pagesOf = (secrets: Secrets) => {
  const placeOf = ({ request, list, filter }: PageRequest<unknown>) => ({
    collection: 'cursor',
    _id: request.principal.organizationId,
    field: JSON.stringify([list, filter]),
  });

  const open = (page: PageRequest<unknown>, sealed: string): Position => {
    try {
      const opened = secrets.decrypt(Buffer.from(sealed, 'base64url').toString(), placeOf(page));
      return positionSchema.parse(JSON.parse(opened));
    } catch {
      throw validationError([
        {
          path: 'cursor',
          message: 'is not one that this list gave out under these filters; begin again without it',
        },
      ]);
    }
  };

  return async <R>(reply: FastifyReply, page: PageRequest<R>): Promise<R[]> => {
    const position = page.cursor === undefined ? undefined : open(page, page.cursor);
    const { rows, next } = await page.read(position, page.limit);
    if (next !== undefined) {
      const sealed = Buffer.from(secrets.encrypt(JSON.stringify(next), placeOf(page))).toString('base64url');
      const url = new URL(page.request.originalUrl, 'http://localhost');
      url.searchParams.set('cursor', sealed);
      reply.header('X-Next-Cursor', sealed).header('Link', `<${url.pathname}${url.search}>; rel="next"`);
    }
    return rows;
  };
};

export type TimePageRequest<R> = Omit<PageRequest<R>, 'read'> & {
  read(position: TimePosition | undefined, limit: number): Promise<R[]>;
  /** What the list is ordered by, before `_id`. */
  timeOf(row: R): Date | string;
};

/** The same for lists in the order of a time. */
export const timePagesOf = (secrets: Secrets) => {
  const readPage = pagesOf(secrets);
  return <R extends { _id: string }>(
    reply: FastifyReply,
    { read, timeOf, ...page }: TimePageRequest<R>,
  ): Promise<R[]> =>
    readPage<R>(reply, {
      ...page,
      async read([time, _id] = [], limit) {
        const rows = await read(time && _id ? { time: new Date(time), _id } : undefined, limit + 1);
        const last = rows.length > limit ? rows[limit - 1] : undefined;
        return {
          rows: rows.slice(0, limit),
          next: last && [new Date(timeOf(last)).toISOString(), last._id],
        };
      },
    });
};
