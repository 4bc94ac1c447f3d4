import type { Readable } from 'node:stream';
import { Refusal } from '@chairside/domain';
import { boundedBodies, errorBody, RETRY_AFTER } from '@chairside/http-server';
import replyFrom from '@fastify/reply-from';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ProxySecretRefused, proxyHeaders } from '../api.ts';
import type { App, Dependencies } from '../context.ts';
import { callerOf, pass } from '../http/caller.ts';
import { apiUnreachable } from '../http/error-handler.ts';
import { isSecretRefused, isWrongAnswer, parsed, readRefusal } from '../refusals.ts';
import { createAdmission, MAX_IN_FLIGHT } from './admission.ts';
import { bodyBounds } from './bodies.ts';
import { forwardedRequestHeaders, forwardedResponseHeaders, RESPONSE_HEADERS } from './headers.ts';

/** How long the api may take until the headers of its response have arrived, and between two parts of a body. */
const HEADERS_TIMEOUT_MS = 30_000;
const BODY_TIMEOUT_MS = 60_000;

/**
 * The form of the paths of the api. They contain no escaped characters, so the api cannot read a path differently from
 * this check.
 */
const PATH = /^\/api(\/[\w-]+)+$/;

const pathOf = (url: string): string => url.replace(/\?.*/s, '');

/** @throws {Refusal} if the request is not for the api, or is a sign-in */
const checkedPath = ({ url, method }: FastifyRequest): string => {
  const path = pathOf(url);
  if (!PATH.test(path)) throw new Refusal('NotFound', 'This path does not exist.');
  // The response of the api would show the access token to the scripts of the page.
  if (method === 'POST' && ['/api/sessions', '/api/sessions/challenge'].includes(path.toLowerCase()))
    throw new Refusal('Forbidden', 'Sign in with POST /session and POST /session/challenge.');
  return path;
};

/** What the check before the body has found. */
type Checked = { path: string; token: string };
const checked = new WeakMap<FastifyRequest, Checked>();
const checkedOf = (request: FastifyRequest): Checked => checked.get(request) as Checked;

/** Responds with 503 in place of the api. */
const refuse = (
  { metrics }: Dependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  cause: unknown,
): void => {
  metrics.apiFailed();
  request.log.warn({ err: cause }, 'the api does not respond');
  const body = errorBody(apiUnreachable(cause), request.id);
  reply.status(body.statusCode).header('Retry-After', String(RETRY_AFTER)).send(body);
};

/**
 * Sends a 401 or 403 of the api. If the api refused the secret of the dashboard, and not the caller, sends a 503. If the
 * session has ended, removes its cookie.
 */
const sendRefusal = async (
  dependencies: Dependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  statusCode: number,
  stream: Readable,
): Promise<unknown> => {
  const refusal = await readRefusal(stream).catch((cause: unknown) =>
    refuse(dependencies, request, reply, cause),
  );
  if (refusal === undefined) return;
  const body = parsed(refusal);
  if (statusCode === 401 && !isWrongAnswer(body)) dependencies.cookie.clear(reply);
  if (!isSecretRefused(body)) return reply.send(refusal);
  for (const name of RESPONSE_HEADERS) reply.removeHeader(name);
  return refuse(dependencies, request, reply, new ProxySecretRefused());
};

/**
 * Sends a checked request to the api, and its response to the browser.
 *
 * @param hasResponded called when the api has responded or failed
 */
const forward = (
  dependencies: Dependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  hasResponded: () => void,
): FastifyReply => {
  const { proxySecret, api } = dependencies;
  const { path, token } = checkedOf(request);
  const { 'content-type': contentType = 'application/octet-stream' } = request.headers;
  // Pass only the path, because the package adds the query itself. If the path contained the query, the package
  // would decode it, fail if that is not possible, and cache it, although its values may be patient data.
  return reply.from(path, {
    rewriteRequestHeaders: (_request, headers) => ({
      ...forwardedRequestHeaders(headers),
      ...proxyHeaders(proxySecret, callerOf(request)),
      authorization: `Token ${token}`,
    }),
    ...(request.body !== undefined && { body: request.body, contentType }),
    // Called with every response of the api. `onResponse` is not called if the browser has disconnected.
    rewriteHeaders(headers) {
      hasResponded();
      api.principals.learn(token, headers['x-principal']);
      return forwardedResponseHeaders(headers);
    },
    async onResponse(_request, _reply, { stream, statusCode }): Promise<unknown> {
      if (reply.raw.destroyed) {
        stream.destroy();
        return reply.send();
      }
      return [401, 403].includes(statusCode)
        ? sendRefusal(dependencies, request, reply, statusCode, stream)
        : reply.send(stream);
    },
    onError(_reply, { error }) {
      hasResponded();
      // If the browser has disconnected, this is not a failure of the api. The reply ends the request all the same.
      if (reply.raw.destroyed) reply.send();
      else refuse(dependencies, request, reply, error);
    },
  });
};

/**
 * Forwards `/api/*` to the api with the access token of the cookie. The body of a request is read completely first. The
 * response is a stream, except a 401 or 403. Nothing is retried, because only the caller knows whether that is safe.
 */
export const forwardingRoutes = async (app: App, dependencies: Dependencies): Promise<void> => {
  const { config, api, cookie } = dependencies;
  const admit = createAdmission();
  const countedAs = (request: FastifyRequest) =>
    api.principals.countedAs(checkedOf(request).token, callerOf(request).address);
  await app.register(replyFrom, {
    base: config.API_URL,
    undici: { connections: MAX_IN_FLIGHT, headersTimeout: HEADERS_TIMEOUT_MS, bodyTimeout: BODY_TIMEOUT_MS },
    disableRequestLogging: true,
    maxRetriesOn503: 0,
    retryMethods: [],
  });

  await app.register(async (forwarded) => {
    // Bodies are forwarded without being parsed.
    forwarded.removeAllContentTypeParsers();
    forwarded.addContentTypeParser(
      '*',
      boundedBodies(forwarded, bodyBounds, (request) => countedAs(request).organization),
    );
    // These checks run before the body is read.
    forwarded.addHook('onRequest', async (request, reply) => {
      const path = checkedPath(request);
      const token = cookie.requiredTokenOf(request);
      checked.set(request, { path, token });
      const refusal = await api.identify(callerOf(request), token);
      if (refusal === undefined) return;
      if (refusal.status === 401) cookie.clear(reply);
      return pass(reply, refusal);
    });
    forwarded.all('/api/*', async (request: FastifyRequest, reply: FastifyReply) =>
      forward(dependencies, request, reply, await admit(reply.raw, countedAs(request))),
    );
  });
};
