import type { IncomingHttpHeaders } from 'node:http';

/**
 * The headers of a request that are forwarded to the api. All others are dropped: the cookie, the `Authorization`,
 * `X-Forwarded-*` and `X-Proxy-Secret` that a caller sends, and the headers of the connection.
 */
const REQUEST_HEADERS: readonly string[] = [
  'accept',
  'accept-encoding',
  'content-length',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'user-agent',
  'x-background',
];

/**
 * The headers of a response that are forwarded to the browser. The dashboard itself sets cookies and the security
 * headers.
 */
export const RESPONSE_HEADERS: readonly string[] = [
  'allow',
  'content-disposition',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'etag',
  'idempotent-replayed',
  'link',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'vary',
  'x-next-cursor',
  'x-request-id',
  'x-resume-cursor',
];

const only = (names: readonly string[], headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));

/** @param headers of a request to the dashboard */
export const forwardedRequestHeaders = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  only(REQUEST_HEADERS, headers);

/** @param headers of a response of the api */
export const forwardedResponseHeaders = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  only(RESPONSE_HEADERS, headers);
