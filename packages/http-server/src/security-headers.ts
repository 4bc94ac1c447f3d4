import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import helmet, { type HelmetOptions } from 'helmet';

/**
 * Sets the security headers of helmet on every response, and forbids to cache it unless a route says otherwise.
 *
 * @param options none of them may depend on the request, because the headers are made once
 */
export const securityHeaders = (app: FastifyInstance, options: HelmetOptions): void => {
  const request = new IncomingMessage(new Socket());
  const made = new ServerResponse(request);
  helmet(options)(request, made, () => {});
  const headers = { ...made.getHeaders(), 'cache-control': 'no-store' };
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers);
  });
};
