import { validationError } from '@chairside/domain';
import type { Secrets } from '@chairside/mongodb';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

/** The end of a page: the values of its last row by which the list is ordered. */
export type Position = readonly (string | null)[];
const positionSchema = z.array(z.string().nullable());

/** The list and the filter that a cursor is valid for. */
export type CursorPlace = {
  /** The name of the list. Cursors of other lists are refused. */
  list: string;
  request: FastifyRequest;
  /** The filter of the list. Cursors of other filters are refused. */
  filter: object;
};

/**
 * Turns positions into cursors and back. A cursor is encrypted, because a list can be ordered by patient data, and bound to
 * its organization, list and filter.
 */
export const cursorsOf = (secrets: Secrets) => {
  const placeOf = ({ request, list, filter }: CursorPlace) => ({
    collection: 'cursor',
    _id: request.principal.organizationId,
    field: JSON.stringify([list, filter]),
  });

  return {
    /** @throws {Refusal} ValidationError for a cursor of another list, filter or organization */
    open(place: CursorPlace, sealed: string): Position {
      try {
        const opened = secrets.decrypt(Buffer.from(sealed, 'base64url').toString(), placeOf(place));
        return positionSchema.parse(JSON.parse(opened));
      } catch {
        throw validationError([
          {
            path: 'cursor',
            message:
              'must be a cursor that this list returned for the same filters; start again without a cursor',
          },
        ]);
      }
    },

    /** Sets `Link: <…>; rel="next"` and `X-Next-Cursor` to the next page. */
    announceNext(reply: FastifyReply, place: CursorPlace, next: Position): void {
      const sealed = Buffer.from(secrets.encrypt(JSON.stringify(next), placeOf(place))).toString('base64url');
      const url = new URL(place.request.originalUrl, 'http://localhost');
      url.searchParams.set('cursor', sealed);
      reply.header('X-Next-Cursor', sealed).header('Link', `<${url.pathname}${url.search}>; rel="next"`);
    },
  };
};
