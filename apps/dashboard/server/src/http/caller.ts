import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiResponse, Caller } from '../api.ts';

/** The caller of a request, as the api counts and audits it. */
export const callerOf = ({ ip, headers }: FastifyRequest): Caller => ({
  address: ip,
  userAgent: headers['user-agent'],
  isBackground: headers['x-background'] !== undefined,
});

/** Forwards a response of the api with its `Retry-After`. */
export const pass = (reply: FastifyReply, { status, body, retryAfter }: ApiResponse): FastifyReply => {
  if (retryAfter !== null) reply.header('Retry-After', retryAfter);
  return reply.status(status).send(body);
};
