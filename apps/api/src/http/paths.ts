import { Refusal } from '@chairside/domain';
import { isDecodable, pathOf } from '@chairside/http-server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { methodNotAllowed } from './method-not-allowed.ts';
import type { RouteEntry } from './route-list.ts';

/** Matches the paths of a route, with any ids as parameters. */
const patternOf = (url: string): RegExp =>
  new RegExp(`^${url.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`);

/**
 * The path of the route that a caller means who writes too many slashes or other letters. It has the names of its
 * parameters, so that the response does not repeat what was sent.
 */
const similarPath = (routes: readonly RouteEntry[], path: string): string | undefined => {
  const usual = path.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
  const found = routes.find(({ url }) => new RegExp(patternOf(url), 'i').test(usual));
  return found?.url.replace(/:(\w+)/g, '{$1}');
};

/**
 * Refuses a request without a route: 400 if its path cannot be decoded, 404 if no route has the path, else 405. For
 * common methods, `refuseOtherMethods` has already registered routes that respond with 405.
 */
export const refuseUnknownPaths = (app: FastifyInstance): void => {
  const refuse = ({ originalUrl, method }: FastifyRequest, reply: FastifyReply): never => {
    if (!isDecodable(pathOf(originalUrl)))
      throw new Refusal('BadRequest', 'The path is not a valid URL. Percent-encode it as UTF-8.');
    const path = pathOf(originalUrl);
    const routes = app.routeList.filter(({ url }) => patternOf(url).test(path));
    if (routes.length === 0) {
      const meant = similarPath(app.routeList, path);
      throw new Refusal(
        'NotFound',
        meant === undefined
          ? 'This path does not exist. The reference at /docs lists all paths.'
          : `This path does not exist. Use ${meant}, with these slashes and letters.`,
      );
    }
    throw methodNotAllowed(reply, method, routes);
  };
  app.addHook('onRequest', (request, reply, done) => {
    // The router takes the end of /api/patients/ for an empty id.
    const hasEmptyId = Object.values(request.params as object).includes('');
    if (request.is404 || hasEmptyId) refuse(request, reply);
    done();
  });
  app.setNotFoundHandler(refuse);
};
