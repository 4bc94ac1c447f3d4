import { Refusal } from '@chairside/domain';
import type { FastifyInstance, FastifyReply, HTTPMethods } from 'fastify';
import type { RouteEntry } from './route-list.ts';

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** A PUT of one record, which changes what a PATCH would. A PUT of another path replaces something as a whole. */
const changesFields = ({ method, url }: RouteEntry): boolean => method === 'PUT' && /:\w+$/.test(url);

/** Sets `Allow` to the methods of these routes of one path, and returns the refusal. */
export const methodNotAllowed = (
  reply: FastifyReply,
  method: string,
  routes: readonly RouteEntry[],
): Refusal => {
  const allow = routes
    .map(({ method }) => method)
    .sort()
    .join(', ');
  reply.header('Allow', allow);
  const instead =
    method === 'PATCH' && routes.some(changesFields) ? ' PUT changes only the fields that its body has.' : '';
  return new Refusal('MethodNotAllowed', `This path does not have this method. Use ${allow}.${instead}`);
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
      onRequest: async ({ method }, reply) => {
        throw methodNotAllowed(reply, method, entries);
      },
      handler: async () => {},
    });
  }
};
