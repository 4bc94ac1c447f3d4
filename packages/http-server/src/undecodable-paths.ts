import type { RawRequestDefaultExpression } from 'fastify';
import { connections } from './connections.ts';

/** A path that no route matches. */
const UNDECODABLE = '/%25';

/** The path of a request target, without its query. */
export const pathOf = (url: string): string => url.replace(/[?#].*/s, '');

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
 * Fastify options for paths that cannot be decoded or that have a long parameter. Without these options, Fastify
 * responds to such a path before any hook runs: the response has no request id and no security headers, and nothing is
 * logged.
 */
export const undecodablePaths = {
  rewriteUrl: ({ url = '/' }: RawRequestDefaultExpression): string =>
    isDecodable(pathOf(url)) ? url : UNDECODABLE,
  routerOptions: { maxParamLength: connections.http.maxHeaderSize },
};
