import type { FastifyInstance, RouteOptions } from 'fastify';
import type { z } from 'zod';

declare module 'fastify' {
  interface FastifySchema {
    /** The name of the operation in generated clients: a verb and a noun. */
    operationId?: string;
    /** The heading of the operation. */
    summary?: string;
    /** Describes what the operation does, and everything that its schemas do not show. */
    description?: string;
    /** The group of the operation. */
    tags?: readonly string[];
    /** The rows of a streamed list. The query parameter `fields` selects some of their fields. */
    rows?: z.ZodObject;
    /** The media type of a response that is not JSON. */
    produces?: readonly string[];
    /** Statuses of refusals that follow neither from the access of the route nor from its schemas. */
    refusals?: readonly (401 | 403 | 404 | 409 | 410 | 429 | 503)[];
    /**
     * The fields in which the example of this response differs from the one that is composed of the examples of
     * the fields. `undefined` means that this response does not have the field.
     */
    example?: Readonly<Record<string, unknown>>;
  }
}

/** Collects the routes that are registered from now on, with their documentation, for the reference. */
export const documentation = (app: FastifyInstance): RouteOptions[] => {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => {
    routes.push(...[route.method].flat().map((method) => ({ ...route, method })));
  });
  return routes;
};
