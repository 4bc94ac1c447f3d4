import { Refusal } from '@chairside/domain';
import { connections } from '@chairside/http-server';
import type { FastifyInstance, FastifyReply, FastifyRequest, RawRequestDefaultExpression } from 'fastify';
import { methodNotAllowed } from './method-not-allowed.ts';

/** A path that no route matches. */
const UNDECODABLE = '/%25';

const pathOf = (url: string): string => url.replace(/[?#].*/s, '');

/** Whether the percent-encoded octets of the text are valid UTF-8. */
export const isDecodable = (text: string): boolean => {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
};

/**
 * Options of Fastify for paths that cannot be decoded or have a long parameter. Without these options Fastify
 * responds to such a path before any hook runs, so the response has no request id and the log has no line. The
 * schemas of the routes limit the length of ids.
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
