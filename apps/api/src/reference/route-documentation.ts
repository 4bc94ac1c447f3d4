import type { FastifyInstance, RouteOptions } from 'fastify';
import type { z } from 'zod';

declare module 'fastify' {
  interface FastifySchema {
    /** The name of the operation in generated clients: verb and noun. */
    operationId?: string;
    /** What it does, as a heading. */
    summary?: string;
    /** What it does, and all that its schemas do not say. */
    description?: string;
    /** The heading that it stands under. */
    tags?: readonly string[];
    /** The rows of a streamed list; any of their fields can be asked for alone with `fields`. */
    rows?: z.ZodObject;
    /** The media type of an answer that is not JSON. */
    produces?: readonly string[];
    /** Statuses of refusals that follow neither from who may call nor from what is sent. */
    refusals?: readonly (401 | 403 | 404 | 409 | 429 | 503)[];
    /**
     * How the example of the answer differs from the one composed of its fields: other values, or `undefined` for a field
     * that this answer does not have.
     */
    example?: Readonly<Record<string, unknown>>;
  }
}

/** Collects every route from now on, with what it says of itself: what the reference is made of. */
export const documentation = (app: FastifyInstance): RouteOptions[] => {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => {
    routes.push(...[route.method].flat().map((method) => ({ ...route, method })));
  });
  return routes;
};
