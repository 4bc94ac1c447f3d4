import { Refusal } from '@chairside/domain';
import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';

/** What a script of another origin may read of an answer, besides the body. */
const EXPOSED = [
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Next-Cursor',
  'X-Request-Id',
];
/** How long a browser remembers what it was told about another origin, in seconds. */
const PREFLIGHT_LIFE = 600;

/**
 * What browsers are told: to load nothing, to keep nothing (answers are health data), and whose scripts may call.
 *
 * @param origins the only ones whose scripts may call; nobody's when there are none
 */
export const browsers = async (app: FastifyInstance, origins: readonly string[]): Promise<void> => {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
  });
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('Cache-Control', 'no-store');
  });
  if (origins.length === 0) return;
  // The plugin would answer it with a body of its own.
  app.addHook('onRequest', async ({ method, headers }) => {
    if (method !== 'OPTIONS' || (headers.origin && headers['access-control-request-method'])) return;
    throw new Refusal('BadRequest', 'A preflight request needs Origin and Access-Control-Request-Method.');
  });
  await app.register(cors, {
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    exposedHeaders: EXPOSED,
    maxAge: PREFLIGHT_LIFE,
  });
};
