import { finished } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** Returns a signal that is aborted when the response has ended, or when the caller has disconnected before. */
export const callerGone = (reply: FastifyReply): AbortSignal => {
  const caller = new AbortController();
  finished(reply.raw, () => caller.abort());
  return caller.signal;
};
