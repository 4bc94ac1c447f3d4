import type { IncomingMessage } from 'node:http';
import { Refusal } from '@chairside/domain';
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errors } from 'oidc-provider';
import type { AuthorizationServer } from './authorization-server.ts';
import { PATHS, RESPONSE_MODE } from './configuration.ts';
import { type ConsentOptions, consentRoutes } from './consent-routes.ts';
import { MAX_REGISTRATION_BYTES } from './limits.ts';
import { TemporarilyUnavailable } from './unavailable.ts';

const FORWARDED = /^(forwarded|x-forwarded-.*|x-real-ip)$/;

/**
 * Sets what oidc-provider may believe of a request: the scheme of the dashboard, and the address of the caller. The
 * `Host` has been checked before.
 */
const setForwardedHeaders = ({ raw, ip }: FastifyRequest, publicUrl: string): void => {
  for (const name of Object.keys(raw.headers)) if (FORWARDED.test(name)) delete raw.headers[name];
  raw.headers['x-forwarded-proto'] = new URL(publicUrl).protocol.slice(0, -1);
  raw.headers['x-forwarded-for'] = ip;
};

/** The request of each message that oidc-provider handles, for its log lines. */
const requests = new WeakMap<IncomingMessage, FastifyRequest>();

/** The events of oidc-provider for refusals, some of which are failures that passed on their status. */
const REFUSALS = [
  'authorization.error',
  'grant.error',
  'registration_create.error',
  'revocation.error',
  'jwks.error',
  'discovery.error',
];

/** Why a request got 503: what oidc-provider and this server have wrapped. */
const reasonOf = (error: unknown): unknown => {
  const isWrapper = error instanceof TemporarilyUnavailable || error instanceof errors.InvalidClient;
  return isWrapper && error.cause instanceof Error ? reasonOf(error.cause) : error;
};

/** Logs what oidc-provider cannot handle. Its errors have no token and no secret in their messages. */
const logFailures = (app: FastifyInstance, { provider }: AuthorizationServer): void => {
  const events = provider as NodeJS.EventEmitter;
  const log = (ctx: { req: IncomingMessage }, error: unknown): void =>
    (requests.get(ctx.req) ?? app).log.error({ err: reasonOf(error) }, 'authorization server failed');
  events.on('server_error', log);
  for (const event of REFUSALS)
    events.on(event, (ctx, error: { statusCode?: number }) => {
      if ((error.statusCode ?? 500) >= 500) log(ctx, error);
    });
  // Without a listener, Koa would write the error to stderr.
  events.on('error', (error) => app.log.error({ err: error }, 'authorization server failed'));
};

/** Refuses a large registration. Its length must be known, so that nothing has to be read for it. */
const checkRegistration = ({ headers }: FastifyRequest): void => {
  const length = Number(headers['content-length'] ?? Number.NaN);
  if (Number.isNaN(length)) throw new Refusal('BadRequest', 'Send the header Content-Length.');
  if (length <= MAX_REGISTRATION_BYTES) return;
  throw new Refusal(
    'PayloadTooLarge',
    `The body is larger than ${MAX_REGISTRATION_BYTES} bytes. Send a smaller body.`,
  );
};

/** oidc-provider offers more, one with an inline script, which the policy of the dashboard forbids. */
const checkResponseMode = (request: FastifyRequest): void => {
  const mode = (request.query as Record<string, unknown>).response_mode;
  if (mode === undefined || mode === RESPONSE_MODE) return;
  throw new Refusal('BadRequest', '`response_mode` must be query, or absent.');
};

/** What the routes need of the server that they are a part of. */
export type OAuthRouteOptions = ConsentOptions & {
  /** The `config` of routes for which the origin of a request does not matter, because they ignore cookies. */
  withoutCookies: FastifyContextConfig;
};

/** The routes of the authorization server. oidc-provider responds to all of them except those of the consent page. */
export const oauthRoutes = async (
  app: FastifyInstance,
  oauth: AuthorizationServer,
  { withoutCookies, ...options }: OAuthRouteOptions,
): Promise<void> => {
  const { provider, publicUrl, admission } = oauth;
  logFailures(app, oauth);
  const respond = provider.callback();

  const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    // The headers that hooks have set. oidc-provider writes the response itself.
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) reply.raw.setHeader(name, value);
    reply.hijack();
    setForwardedHeaders(request, publicUrl);
    requests.set(request.raw, request);
    await respond(request.raw, reply.raw);
  };
  /** For clients, not for browsers: the cookies of a person mean nothing here. */
  const serveClient = (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    delete request.raw.headers.cookie;
    return serve(request, reply);
  };

  await app.register(async (scope) => {
    // Bodies are read by oidc-provider.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    const ofClients = { config: withoutCookies };

    for (const path of [
      '/.well-known/oauth-authorization-server',
      '/.well-known/openid-configuration',
      PATHS.jwks,
    ]) {
      scope.get(path, serveClient);
      scope.options(path, serveClient);
    }
    scope.get(PATHS.authorization, { exposeHeadRoute: false }, async (request, reply) => {
      checkResponseMode(request);
      await admission.authorize(request.ip);
      return serve(request, reply);
    });
    scope.get(`${PATHS.authorization}/:uid`, { exposeHeadRoute: false }, serve);
    for (const path of [PATHS.token, PATHS.revocation]) {
      scope.post(path, ofClients, serveClient);
      scope.options(path, serveClient);
    }
    scope.post(PATHS.registration, ofClients, async (request, reply) => {
      checkRegistration(request);
      await admission.register(request.ip);
      return serveClient(request, reply);
    });
  });
  consentRoutes(app, oauth, options);
};
