import { Refusal } from '@chairside/domain';
import { securityHeaders } from '@chairside/http-server';
import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

/** The response headers that scripts of other origins may read. */
const EXPOSED = [
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Next-Cursor',
  'X-Record-Changed',
  'X-Record-Created',
  'X-Request-Id',
  'X-Resume-Cursor',
];
/** How long a browser caches the response to a preflight request, in seconds. */
const PREFLIGHT_LIFE = 600;

/**
 * Sets the headers for browsers. By default, a browser may neither load anything for a response nor cache the response,
 * because responses contain health data. The CORS headers name the origins whose scripts may call the api.
 *
 * @param origins the origins whose scripts may call the api; no origin if the list is empty
 */
export const browsers = async (app: FastifyInstance, origins: readonly string[]): Promise<void> => {
  securityHeaders(app, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
  });
  if (origins.length === 0) return;
  // This is checked here, because @fastify/cors responds with a body that is not the error body of the API.
  app.addHook('onRequest', async ({ method, headers }) => {
    if (method !== 'OPTIONS' || (headers.origin && headers['access-control-request-method'])) return;
    throw new Refusal(
      'BadRequest',
      'This preflight request is incomplete. Send the headers Origin and Access-Control-Request-Method.',
    );
  });
  await app.register(cors, {
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    exposedHeaders: EXPOSED,
    maxAge: PREFLIGHT_LIFE,
  });
};
