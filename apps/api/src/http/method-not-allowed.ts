import { Refusal } from '@chairside/domain';
import type { FastifyInstance, FastifyReply, HTTPMethods } from 'fastify';
import type { RouteEntry } from './route-list.ts';

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Sets `Allow` to the methods of these routes of one path, and returns the refusal. */
export const methodNotAllowed = (reply: FastifyReply, routes: readonly RouteEntry[]): Refusal => {
  const allow = routes
    .map(({ method }) => method)
    .sort()
    .join(', ');
  reply.header('Allow', allow);
  return new Refusal('MethodNotAllowed', `This path does not have this method. Use ${allow}.`);
};

/** Responds with 405 and `Allow` to a method that a path does not have. Call it after the last route. */
export const refuseOtherMethods = (app: FastifyInstance, routes: readonly RouteEntry[]): void => {
  for (const [url, entries] of Map.groupBy([...routes], (route) => route.url)) {
    const methods = entries.map(({ method }) => method);
    app.route({
      method: METHODS.filter((method) => !methods.includes(method)),
      url,
      config: { access: 'public', door: 'api-public' },
      exposeHeadRoute: false,
      // This hook runs before the body is read, so that a wrong method is reported before a wrong body.
      onRequest: async (_request, reply) => {
        throw methodNotAllowed(reply, entries);
      },
      handler: async () => {},
    });
  }
};
