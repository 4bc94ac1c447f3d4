import type { FastifyReply, FastifyRequest } from 'fastify';

/** A writing request, and the reply whose headers the write sets. */
export type WriteCall = { request: FastifyRequest; reply: FastifyReply };
