import { Refusal } from '@chairside/domain';
import { errorBody } from '@chairside/http-server';
import replyFrom from '@fastify/reply-from';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { proxyHeaders } from '../api.ts';
import type { App, Dependencies } from '../context.ts';
import { apiAway } from '../http/error-handler.ts';
import { forwardedRequestHeaders, forwardedResponseHeaders } from './headers.ts';

/** The most connections to the api. Browsers send about six requests at once. */
const MAX_CONNECTIONS = 128;
/** How long the api may take until its status line, and between two parts of a body, in milliseconds. */
const HEADERS_TIMEOUT = 30_000;
const BODY_TIMEOUT = 60_000;

/** The paths of the api need no escape. So no other spelling of a path reaches it than the one that is checked here. */
const PATH = /^\/api(\/[\w-]+)+$/;

const pathOf = (url: string): string => url.replace(/\?.*/s, '');

const checkPath = ({ url, method }: FastifyRequest): void => {
  const path = pathOf(url);
  if (!PATH.test(path)) throw new Refusal('NotFound', 'This path does not exist.');
  // Its response would show the access token to the page's scripts.
  if (method === 'POST' && path.toLowerCase() === '/api/sessions')
    throw new Refusal('Forbidden', 'Sign in with POST /session.');
};

/**
 * Forwards `/api/*` to the api with the access token of the cookie, as a stream in both directions. Nothing is retried:
 * the caller knows whether its request may be repeated.
 */
export const forwardingRoutes = async (
  app: App,
  { config, proxySecret, cookie, metrics }: Dependencies,
): Promise<void> => {
  await app.register(replyFrom, {
    base: config.API_URL,
    undici: { connections: MAX_CONNECTIONS, headersTimeout: HEADERS_TIMEOUT, bodyTimeout: BODY_TIMEOUT },
    // Its lines would contain the query, whose values may be patient data.
    disableRequestLogging: true,
    maxRetriesOn503: 0,
    retryMethods: [],
  });
  await app.register(async (forwarded) => {
    // Bodies are passed on unread.
    forwarded.removeAllContentTypeParsers();
    forwarded.addContentTypeParser('*', (_request, payload, done) => done(null, payload));

    forwarded.all('/api/*', (request: FastifyRequest, reply: FastifyReply) => {
      checkPath(request);
      const token = cookie.tokenOf(request);
      if (token === undefined) throw new Refusal('Unauthorized', 'You are not signed in. Sign in first.');
      return reply.from(request.url, {
        rewriteRequestHeaders: ({ ip }, headers) => ({
          ...forwardedRequestHeaders(headers),
          ...proxyHeaders(proxySecret, { address: ip, userAgent: headers['user-agent'] }),
          authorization: `Token ${token}`,
        }),
        rewriteHeaders: (headers) => forwardedResponseHeaders(headers),
        onResponse(_request, _reply, { stream, statusCode }) {
          // The cookie of an ended session is of no use.
          if (statusCode === 401) cookie.clear(reply);
          reply.send(stream);
        },
        onError(_reply, { error }) {
          metrics.apiFailed();
          request.log.warn({ err: error }, 'the api does not respond');
          const body = errorBody(apiAway(error), request.id);
          reply.status(body.statusCode).header('Retry-After', '2').send(body);
        },
      });
    });
  });
};
