import { text, validationError } from '@chairside/domain';
import type { Secrets } from '@chairside/mongodb';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

/** The most rows on a page. */
export const MAX_LIMIT = 1000;
const DEFAULT_LIMIT = 100;
const LIMIT_FORM = `must be a whole number from 1 to ${MAX_LIMIT}`;

/** How many rows a page has. */
export const limit = z
  .string()
  .regex(/^\d{1,4}$/, { abort: true, error: LIMIT_FORM })
  .transform(Number)
  .refine((value) => value >= 1 && value <= MAX_LIMIT, LIMIT_FORM)
  .meta({
    description: 'How many rows a page has at most. A page ends earlier when it has 8 MiB.',
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
    .describe(
      `How many rows a page has at most; ${DEFAULT_LIMIT} unless you say. A page ends earlier when it has 8 MiB.`,
    ),
  cursor: cursor.optional(),
};

/** Where a page ended, in whatever form its list orders by. */
export type Position = readonly (string | null)[];
const positionSchema = z.array(z.string().nullable());

/** What a cursor belongs to. */
export type CursorPlace = {
  /** Names the list: a cursor of another one is refused. */
  list: string;
  request: FastifyRequest;
  /** What narrows the list: a cursor of another filter is refused. */
  filter: object;
};

/**
 * Turns positions into cursors and back. A cursor is encrypted (what a list is ordered by can be patient data) and bound
 * to its organization, list and filter.
 */
export const cursorsOf = (secrets: Secrets) => {
  const placeOf = ({ request, list, filter }: CursorPlace) => ({
    collection: 'cursor',
    _id: request.principal.organizationId,
    field: JSON.stringify([list, filter]),
  });

  return {
    /** @throws {Refusal} ValidationError for a cursor that this list did not give out under this filter */
    open(place: CursorPlace, sealed: string): Position {
      try {
        const opened = secrets.decrypt(Buffer.from(sealed, 'base64url').toString(), placeOf(place));
        return positionSchema.parse(JSON.parse(opened));
      } catch {
        throw validationError([
          {
            path: 'cursor',
            message: 'is not one that this list gave out under these filters; begin again without it',
          },
        ]);
      }
    },

    /** Says in `Link: <…>; rel="next"` and `X-Next-Cursor` where the list goes on. */
    announceNext(reply: FastifyReply, place: CursorPlace, next: Position): void {
      const sealed = Buffer.from(secrets.encrypt(JSON.stringify(next), placeOf(place))).toString('base64url');
      const url = new URL(place.request.originalUrl, 'http://localhost');
      url.searchParams.set('cursor', sealed);
      reply.header('X-Next-Cursor', sealed).header('Link', `<${url.pathname}${url.search}>; rel="next"`);
    },
  };
};
