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
  /** The filter of the list's resume cursors; undefined if the list has none. */
  resumeFilter?: object | undefined;
};

/**
 * Turns positions into cursors and back. A cursor is encrypted, because a list can be ordered by patient data, and
 * bound to its organization, list and filter.
 */
export const cursorsOf = (secrets: Secrets) => {
  const contextOf = ({ request, list }: CursorPlace, filter: object) => ({
    collection: 'cursor',
    _id: request.principal.organizationId,
    field: JSON.stringify([list, filter]),
  });
  const seal = (place: CursorPlace, filter: object, position: Position): string =>
    Buffer.from(secrets.encrypt(JSON.stringify(position), contextOf(place, filter))).toString('base64url');
  /**
   * Returns the position. Returns undefined for an invalid cursor, and for a cursor of another list, filter or
   * organization.
   */
  const unseal = (place: CursorPlace, filter: object, sealed: string): Position | undefined => {
    try {
      const text = Buffer.from(sealed, 'base64url').toString();
      return positionSchema.parse(JSON.parse(secrets.decrypt(text, contextOf(place, filter))));
    } catch {
      return undefined;
    }
  };

  return {
    /**
     * @throws {Refusal} ValidationError for an invalid cursor, and for a cursor of another list, filter or organization
     */
    open(place: CursorPlace, sealed: string): Position {
      const { filter, resumeFilter } = place;
      const position = unseal(place, filter, sealed) ?? (resumeFilter && unseal(place, resumeFilter, sealed));
      if (position !== undefined) return position;
      throw validationError([
        {
          path: 'cursor',
          message:
            'must be a cursor that this list returned for the same filters; start again without a cursor',
        },
      ]);
    },

    /**
     * Sets `X-Resume-Cursor`. A request with this cursor returns the rows after this position, including rows that are
     * added later.
     */
    announceResume(reply: FastifyReply, place: CursorPlace, position: Position): void {
      reply.header('X-Resume-Cursor', seal(place, place.resumeFilter ?? place.filter, position));
    },

    /** Sets `X-Next-Cursor` and, if a GET leads there, `Link: <…>; rel="next"` to the next page. */
    announceNext(reply: FastifyReply, place: CursorPlace, next: Position): void {
      const sealed = seal(place, place.filter, next);
      reply.header('X-Next-Cursor', sealed);
      if (place.request.method === 'POST') return;
      const url = new URL(place.request.originalUrl, 'http://localhost');
      url.searchParams.set('cursor', sealed);
      reply.header('Link', `<${url.pathname}${url.search}>; rel="next"`);
    },
  };
};
