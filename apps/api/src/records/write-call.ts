import type { ReservedIds } from '@chairside/mongodb';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A row of a batch: a write with its own ids and its own version. */
export type Row = {
  ids: ReservedIds;
  /** What the request would have as `If-Match`, if it were a single one. */
  ifMatch?: string | undefined;
};

/** A writing request, and the reply whose headers the write sets; or a row of a batch, which has no headers. */
export type WriteCall = { request: FastifyRequest; reply: FastifyReply; row?: Row };

/** The `If-Match` of a write. */
export const ifMatchOf = ({ request, row }: Omit<WriteCall, 'reply'>): string | undefined =>
  row === undefined ? request.headers['if-match'] : row.ifMatch;

/** Sets a header of the response, unless the write is a row of a batch. */
export const setHeader = ({ reply, row }: WriteCall, name: string, value: string): void => {
  if (row === undefined) reply.header(name, value);
};
