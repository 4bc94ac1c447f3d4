import { type Cursors, openCursors, text, validationError } from '@chairside/domain';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

const MAX_LIMIT = 1000;
const DEFAULT_LIMIT = 100;

/** The query parameters of a list that comes in pages. */
export const pageQuery = {
  limit: z.coerce
    .number({ error: 'must be a whole number' })
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(MAX_LIMIT, `must be at most ${MAX_LIMIT}`)
    .default(DEFAULT_LIMIT),
  cursor: text(2000).optional(),
};

type PageRequest<R> = {
  /** Names the list: a cursor of another one is refused. */
  list: string;
  request: FastifyRequest;
  query: { limit: number; cursor?: string | undefined } & Readonly<Record<string, unknown>>;
  /** Reads up to `limit` rows behind a position; undefined for the first page. */
  read(position: string[] | undefined, limit: number): Promise<R[]>;
  /** Where a page that ends with this row ended. */
  positionOf(row: R): string[];
};

/**
 * A function that reads one page of a list. When there is more, `Link: <…>; rel="next"` and `X-Next-Cursor` say where
 * it goes on. It throws a ValidationError for a cursor that was not given out for this very list and filter.
 *
 * @param encryptionKeys of the settings; what authenticates cursors is derived from them
 */
export const pagesOf = (encryptionKeys: string) => {
  const cursors: Cursors = openCursors(encryptionKeys);
  return async <R>(reply: FastifyReply, page: PageRequest<R>): Promise<R[]> => {
    const { limit, cursor, ...filter } = page.query;
    const scope = { organizationId: page.request.principal.organizationId, list: page.list, filter };
    const position = cursor === undefined ? undefined : cursors.open(scope, cursor);
    if (cursor !== undefined && position === undefined) {
      throw validationError([
        { path: 'cursor', message: 'is not one that this list gave out under these filters' },
      ]);
    }
    const rows = await page.read(position, limit + 1);
    const [last] = rows.length > limit ? rows.slice(limit - 1) : [];
    if (last !== undefined) {
      const next = cursors.seal(scope, page.positionOf(last));
      const url = new URL(page.request.url, 'http://localhost');
      url.searchParams.set('cursor', next);
      reply.header('X-Next-Cursor', next);
      reply.header('Link', `<${url.pathname}${url.search}>; rel="next"`);
    }
    return rows.slice(0, limit);
  };
};
