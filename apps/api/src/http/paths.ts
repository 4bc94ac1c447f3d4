import { Refusal } from '@chairside/domain';
import { isDecodable, pathOf } from '@chairside/http-server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { methodNotAllowed } from './method-not-allowed.ts';
import type { RouteEntry } from './route-list.ts';

/** Matches the paths of a route, with any ids as parameters; `similar` also in other letters. */
type Pattern = { route: RouteEntry; exact: RegExp; similar: RegExp };

const patternOf = (route: RouteEntry): Pattern => {
  const source = `^${route.url.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`;
  return { route, exact: new RegExp(source), similar: new RegExp(source, 'i') };
};

/**
 * The path of the route that a caller means who writes too many slashes or other letters. It has the names of its
 * parameters, so that the response does not repeat what was sent.
 */
const similarPath = (patterns: readonly Pattern[], path: string): string | undefined => {
  const usual = path.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
  const found = patterns.find(({ similar }) => similar.test(usual));
  return found?.route.url.replace(/:(\w+)/g, '{$1}');
};

/**
 * Refuses a request without a route: 400 if its path cannot be decoded, 404 if no route has the path, else 405. For
 * common methods, `refuseOtherMethods` has already registered routes that respond with 405.
 */
export const refuseUnknownPaths = (app: FastifyInstance): void => {
  // A stranger may ask for any number of such paths, so the patterns are compiled only once.
  let compiled: readonly Pattern[] | undefined;
  const refuse = ({ originalUrl, method }: FastifyRequest, reply: FastifyReply): never => {
    if (!isDecodable(pathOf(originalUrl)))
      throw new Refusal('BadRequest', 'The path is not a valid URL. Percent-encode it as UTF-8.');
    const path = pathOf(originalUrl);
    compiled ??= app.routeList.map(patternOf);
    const routes = compiled.filter(({ exact }) => exact.test(path)).map(({ route }) => route);
    if (routes.length === 0) {
      const meant = similarPath(compiled, path);
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
