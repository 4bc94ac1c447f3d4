import { Refusal } from '@chairside/domain';
import type { FastifyInstance, HTTPMethods } from 'fastify';
import type { RouteEntry } from './authentication.ts';

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Answers 405 with `Allow` for a method that a path does not have. Call it after the last route. */
export const methodNotAllowed = (app: FastifyInstance, routes: readonly RouteEntry[]): void => {
  for (const [url, entries] of Map.groupBy([...routes], (route) => route.url)) {
    const methods = entries.map(({ method }) => method);
    const allow = methods.toSorted().join(', ');
    app.route({
      method: METHODS.filter((method) => !methods.includes(method)),
      url,
      config: { access: 'public' },
      exposeHeadRoute: false,
      // Before the body is read: a wrong method is told before a wrong body.
      onRequest: async (_request, reply) => {
        reply.header('Allow', allow);
        throw new Refusal('MethodNotAllowed', `This path takes ${allow}.`);
      },
      handler: async () => {},
    });
  }
};
