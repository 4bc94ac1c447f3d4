import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Refusal } from '@chairside/domain';
import { boundedBodies, boundsOfStrangers } from '@chairside/http-server';
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errors } from 'oidc-provider';
import type { AuthorizationServer } from './authorization-server.ts';
import { callers } from './callers.ts';
import { PATHS, RESPONSE_MODE } from './configuration.ts';
import { type ConsentOptions, consentRoutes } from './consent-routes.ts';
import { MAX_BODY_BYTES, MAX_PARAMETERS } from './limits.ts';
import { narrowedText } from './registration.ts';
import { withCanonicalResources } from './resource.ts';
import { TemporarilyUnavailable } from './unavailable.ts';

const FORWARDED = /^(forwarded|x-forwarded-.*|x-real-ip)$/;

/**
 * Replaces the forwarded headers, which oidc-provider trusts. oidc-provider gets the scheme of the dashboard and the
 * address of the caller. `Host` has already been checked.
 */
const setForwardedHeaders = ({ raw, ip }: FastifyRequest, publicUrl: string): void => {
  for (const name of Object.keys(raw.headers)) if (FORWARDED.test(name)) delete raw.headers[name];
  raw.headers['x-forwarded-proto'] = new URL(publicUrl).protocol.slice(0, -1);
  raw.headers['x-forwarded-for'] = ip;
};

/** Maps each message that oidc-provider handles to its Fastify request, whose logger is used. */
const requests = new WeakMap<IncomingMessage, FastifyRequest>();

/** The error events of oidc-provider. They also report failures with a status of 500 or more, which are logged. */
const REFUSALS = [
  'authorization.error',
  'grant.error',
  'registration_create.error',
  'revocation.error',
  'jwks.error',
  'discovery.error',
];

/** Returns the original error inside the wrappers of oidc-provider and of this server. */
const reasonOf = (error: unknown): unknown => {
  const isWrapper = error instanceof TemporarilyUnavailable || error instanceof errors.InvalidClient;
  return isWrapper && error.cause instanceof Error ? reasonOf(error.cause) : error;
};

/** Logs failures with a status of 500 or more, and counts those that are faults. */
const logFailures = (app: FastifyInstance, { provider, faulted }: AuthorizationServer): void => {
  const events = provider as NodeJS.EventEmitter;
  const log = (ctx: { req: IncomingMessage }, error: unknown): void => {
    if (!(error instanceof TemporarilyUnavailable)) faulted();
    (requests.get(ctx.req) ?? app).log.error({ err: reasonOf(error) }, 'authorization server failed');
  };
  events.on('server_error', log);
  for (const event of REFUSALS)
    events.on(event, (ctx, error: { statusCode?: number }) => {
      if ((error.statusCode ?? 500) >= 500) log(ctx, error);
    });
  // Without a listener, Koa would write the error to stderr.
  events.on('error', (error) => app.log.error({ err: error }, 'authorization server failed'));
};

/** The message of a request whose body was read. oidc-provider reads the body from it again. */
const withBody = (raw: IncomingMessage, body: Buffer): IncomingMessage =>
  new Proxy(raw, {
    get(target, name) {
      if (name === 'readable') return true;
      if (name === 'iterator') return () => Readable.from([body]).iterator();
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

/** Replaces the text of the body that oidc-provider reads. */
const replaceBody = (request: FastifyRequest, change: (text: string) => string): void => {
  if (!Buffer.isBuffer(request.body)) return;
  const body = Buffer.from(change(request.body.toString()));
  request.body = body;
  request.raw.headers['content-length'] = String(body.length);
};

/**
 * Refuses the other response modes of oidc-provider. One of them uses an inline script, which the dashboard's content
 * security policy forbids.
 */
const checkResponseMode = (request: FastifyRequest): void => {
  const mode = (request.query as Record<string, unknown>).response_mode;
  if (mode === undefined || mode === RESPONSE_MODE) return;
  throw new Refusal('BadRequest', '`response_mode` must be query, or absent.');
};

/** The work of oidc-provider grows with the parameters of a request, whatever their names. */
const checkParameters = ({ raw }: FastifyRequest): void => {
  if ((raw.url?.split('&').length ?? 0) <= MAX_PARAMETERS) return;
  throw new Refusal('BadRequest', `An authorization request has at most ${MAX_PARAMETERS} parameters.`);
};

/** Makes the caller known to all calls that a request makes. */
const setCaller = (app: FastifyInstance): void => {
  app.addHook('onRequest', ({ ip, id, routeOptions: { url } }, _reply, done) =>
    callers.run({ address: ip, requestId: id, revokes: url === PATHS.revocation }, done),
  );
};

/** What the routes need from the server that they are part of. */
export type OAuthRouteOptions = ConsentOptions & {
  /** The `config` of routes for which the origin of a request does not matter, because they ignore cookies. */
  withoutCookies: FastifyContextConfig;
};

/**
 * The routes of the authorization server. oidc-provider handles the requests that they accept, except those of the
 * consent page.
 */
export const oauthRoutes = async (
  app: FastifyInstance,
  oauth: AuthorizationServer,
  { withoutCookies, ...options }: OAuthRouteOptions,
): Promise<void> => {
  const { provider, publicUrl, mcpUrl, admission } = oauth;
  logFailures(app, oauth);
  const respond = provider.callback();

  const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    // Copies the headers that hooks have set, because oidc-provider writes the response itself.
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) reply.raw.setHeader(name, value);
    reply.hijack();
    setForwardedHeaders(request, publicUrl);
    const message = Buffer.isBuffer(request.body) ? withBody(request.raw, request.body) : request.raw;
    requests.set(message, request);
    await respond(message, reply.raw);
  };
  /** For requests that clients send, not browsers. The cookies are removed, because they would identify a person. */
  const serveClient = (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    delete request.raw.headers.cookie;
    return serve(request, reply);
  };

  await app.register(async (scope) => {
    setCaller(scope);
    // Bodies are read here, because oidc-provider bounds neither their number nor that of their parts.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      '*',
      boundedBodies(scope, boundsOfStrangers(MAX_BODY_BYTES, 'authorization_body'), () => undefined),
    );
    const ofClients = { config: { ...withoutCookies, door: 'oauth-token' } } as const;
    const metadata = { config: { door: 'oauth-metadata' } } as const;
    const authorization = { exposeHeadRoute: false, config: { door: 'oauth-authorize' } } as const;

    for (const path of [
      '/.well-known/oauth-authorization-server',
      '/.well-known/openid-configuration',
      PATHS.jwks,
    ]) {
      scope.get(path, metadata, serveClient);
      scope.options(path, metadata, serveClient);
    }
    scope.get(PATHS.authorization, authorization, async (request, reply) => {
      checkParameters(request);
      checkResponseMode(request);
      await admission.authorize(request.ip);
      return serve(request, reply);
    });
    scope.get(`${PATHS.authorization}/:uid`, authorization, serve);
    for (const path of [PATHS.token, PATHS.revocation]) {
      scope.post(path, ofClients, (request, reply) => {
        replaceBody(request, (form) => withCanonicalResources(form, mcpUrl));
        return serveClient(request, reply);
      });
      scope.options(path, metadata, serveClient);
    }
    const ofRegistration = { config: { ...withoutCookies, door: 'oauth-register' } } as const;
    scope.post(PATHS.registration, ofRegistration, async (request, reply) => {
      await admission.register(request.ip);
      replaceBody(request, narrowedText);
      return serveClient(request, reply);
    });
    scope.get(`${PATHS.registration}/:clientId`, { ...ofRegistration, exposeHeadRoute: false }, serveClient);
  });
  await app.register(async (scope) => {
    setCaller(scope);
    consentRoutes(scope, oauth, options);
  });
};
