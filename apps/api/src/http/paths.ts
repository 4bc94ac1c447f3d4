import { Refusal } from '@chairside/domain';
import type { FastifyInstance, FastifyReply, FastifyRequest, RawRequestDefaultExpression } from 'fastify';
import { connections } from './connections.ts';
import { methodNotAllowed } from './method-not-allowed.ts';

/** A path without a route. */
const UNDECODABLE = '/%25';

const pathOf = (url: string): string => url.replace(/[?#].*/s, '');

/** Whether every percent-encoded octet of the text is part of a character in UTF-8. */
export const isDecodable = (text: string): boolean => {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
};

/**
 * Options of Fastify that let each path become a request, with its id, its headers and its line in the log. Without them
 * Fastify responds to a path that cannot be decoded, or that has a long parameter, before any hook runs. The schemas of the
 * routes limit the length of ids.
 */
export const undecodablePaths = {
  rewriteUrl: ({ url = '/' }: RawRequestDefaultExpression): string =>
    isDecodable(pathOf(url)) ? url : UNDECODABLE,
  routerOptions: { maxParamLength: connections.http.maxHeaderSize },
};

/** The paths of a route, with any ids as parameters. */
const patternOf = (url: string): RegExp =>
  new RegExp(`^${url.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`);

/**
 * Refuses a request without a route: 404, or 405 if the path has other methods. For the methods that Fastify knows,
 * `refuseOtherMethods` registers routes.
 */
export const refuseUnknownPaths = (app: FastifyInstance): void => {
  const refuse = ({ originalUrl }: FastifyRequest, reply: FastifyReply): never => {
    if (!isDecodable(pathOf(originalUrl)))
      throw new Refusal('BadRequest', 'The path is not a valid URL. Percent-encode it as UTF-8.');
    const path = pathOf(originalUrl);
    const routes = app.routeList.filter(({ url }) => patternOf(url).test(path));
    if (routes.length === 0) throw new Refusal('NotFound', 'There is no such path.');
    throw methodNotAllowed(reply, routes);
  };
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) refuse(request, reply);
    done();
  });
  app.setNotFoundHandler(refuse);
};
