import { Refusal } from '@chairside/domain';
import type { FastifyRequest, RawRequestDefaultExpression } from 'fastify';
import { connections } from './connections.ts';

/** No route has it. */
const UNDECODABLE = '/%25';

const canBeDecoded = (url: string): boolean => {
  try {
    decodeURI(url.replace(/[?#].*/s, ''));
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
  rewriteUrl: ({ url = '/' }: RawRequestDefaultExpression): string => (canBeDecoded(url) ? url : UNDECODABLE),
  routerOptions: { maxParamLength: connections.http.maxHeaderSize },
};

/** @throws {Refusal} always */
export const refuseUnknownPath = ({ originalUrl }: Pick<FastifyRequest, 'originalUrl'>): never => {
  if (canBeDecoded(originalUrl)) throw new Refusal('NotFound', 'There is no such path.');
  throw new Refusal('BadRequest', 'The path is not a valid URL. Percent-encode it as UTF-8.');
};
