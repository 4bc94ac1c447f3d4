import { Refusal } from '@chairside/domain';
import type { FastifyInstance, FastifyReply, FastifyRequest, RawRequestDefaultExpression } from 'fastify';
import { connections } from './connections.ts';
import { methodNotAllowed } from './method-not-allowed.ts';

/** No route has it. */
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
 * Has each path become a request, with its id, its headers and its line in the log. By itself the framework answers one
 * that cannot be decoded, or that has a long parameter, before any of that; how long an id may be the routes say.
 */
export const undecodablePaths = {
  rewriteUrl: ({ url = '/' }: RawRequestDefaultExpression): string =>
    isDecodable(pathOf(url)) ? url : UNDECODABLE,
  routerOptions: { maxParamLength: connections.http.maxHeaderSize },
};

/** The path of a route with whatever id in it. */
const patternOf = (url: string): RegExp =>
  new RegExp(`^${url.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`);

/**
 * Refuses what no route takes, before anything else is asked: 404, or 405 where the path takes other methods. The methods
 * that the framework knows are refused by routes of their own.
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
