import { ServiceError } from '@chairside/domain';
import type { FastifyInstance } from 'fastify';
import type { Access } from './authorization.ts';

/** A registered route and its access. */
export type RouteEntry = { method: string; url: string; access: Access };

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route of the API, with its access. */
    routeList: readonly RouteEntry[];
  }
}

/**
 * Collects the routes that are registered from now on. A route without `access` prevents the start.
 *
 * @returns the list, which grows with each route
 */
export const collectRoutes = (app: FastifyInstance): RouteEntry[] => {
  const routes: RouteEntry[] = [];
  app.addHook('onRoute', ({ config, method, url }) => {
    const access = config?.access;
    if (access === undefined)
      throw new ServiceError(`${method} ${url} has no access in its config. Set config.access.`);
    routes.push(...[method].flat().map((each) => ({ method: each, url, access })));
  });
  return routes;
};
