import { Refusal } from '@chairside/domain';
import { isDecodable, pathOf } from '@chairside/http-server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { methodNotAllowed } from './method-not-allowed.ts';

/** Matches the paths of a route, with any ids as parameters. */
const patternOf = (url: string): RegExp =>
  new RegExp(`^${url.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`);

/**
 * Refuses a request without a route: 400 if its path cannot be decoded, 404 if no route has the path, else 405. For
 * common methods, `refuseOtherMethods` has already registered routes that respond with 405.
 */
export const refuseUnknownPaths = (app: FastifyInstance): void => {
  const refuse = ({ originalUrl }: FastifyRequest, reply: FastifyReply): never => {
    if (!isDecodable(pathOf(originalUrl)))
      throw new Refusal('BadRequest', 'The path is not a valid URL. Percent-encode it as UTF-8.');
    const path = pathOf(originalUrl);
    const routes = app.routeList.filter(({ url }) => patternOf(url).test(path));
    if (routes.length === 0)
      throw new Refusal('NotFound', 'This path does not exist. The reference at /docs lists all paths.');
    throw methodNotAllowed(reply, routes);
  };
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) refuse(request, reply);
    done();
  });
  app.setNotFoundHandler(refuse);
};
