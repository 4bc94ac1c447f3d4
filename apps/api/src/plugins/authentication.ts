import { type Principal, Refusal, type Role, type Scope } from '@chairside/domain';
import type { EveryOrganization } from '@chairside/mongodb';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Who may call a route: everybody, keys with this scope (or with any of these) and all operators, or operators with
 * this role only.
 */
export type Access = 'public' | { scope: Scope } | { anyScope: readonly Scope[] } | { role: Role };

/** A route as it was registered. */
export type RouteEntry = { method: string; url: string; access: Access };

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
  interface FastifyRequest {
    /** Who calls. Routes with `access: 'public'` must not ask. */
    principal: Principal;
  }
}

const SCHEMES = 'Basic realm="Chairside API key", charset="UTF-8", Token realm="Chairside operator"';

const unauthorized = (message: string): Refusal => new Refusal('Unauthorized', message);

const credentials = (header: string | undefined): { scheme: 'basic' | 'token'; secret: string } => {
  if (header === undefined) {
    throw unauthorized(
      'Send the header Authorization: Basic <base64 of an API key>, or Token <access token>.',
    );
  }
  const [, name = '', value = ''] = /^(\S+) +(\S+)$/.exec(header) ?? [];
  const scheme = name.toLowerCase();
  if (scheme === 'token') return { scheme, secret: value };
  if (scheme !== 'basic') {
    throw unauthorized(
      'The header Authorization must be Basic <base64 of an API key>, or Token <access token>.',
    );
  }
  const secret = Buffer.from(value, 'base64').toString('utf8');
  if (secret.includes(':')) {
    throw unauthorized(
      'Encode the secret of the API key alone in base64, without a user name and without a colon.',
    );
  }
  return { scheme, secret };
};

const requireScope = (principal: Principal, accepted: readonly Scope[]): void => {
  if (principal.kind !== 'apiKey' || accepted.some((scope) => principal.scopes.includes(scope))) return;
  throw new Refusal(
    'Forbidden',
    `This API key lacks the scope ${accepted.join(' or ')}. Have an administrator add it.`,
    { details: { requiredScope: accepted[0] } },
  );
};

const authorize = (principal: Principal, access: Exclude<Access, 'public'>): void => {
  if (!('role' in access)) {
    requireScope(principal, 'scope' in access ? [access.scope] : access.anyScope);
    return;
  }
  const mayCall =
    principal.kind === 'operator' && (principal.role === 'administrator' || access.role === 'staff');
  if (!mayCall) {
    throw new Refusal(
      'Forbidden',
      `This needs the access token of an operator with the role ${access.role}.`,
      {
        details: { requiredRole: access.role },
      },
    );
  }
};

const accessOf = (request: FastifyRequest): Access | undefined => request.routeOptions.config.access;

/**
 * Finds out who calls before anything else of the request is read, and refuses who may not.
 * A route that does not say who may call it is refused at start.
 *
 * @returns the list of routes, which grows with each that is registered
 */
export const authentication = (
  app: FastifyInstance,
  store: Pick<EveryOrganization, 'findApiKey' | 'sessions'>,
): RouteEntry[] => {
  app.decorateRequest('principal');

  const routes: RouteEntry[] = [];
  app.addHook('onRoute', ({ config, method, url }) => {
    const access = config?.access;
    if (access === undefined) throw new Error(`${method} ${url} does not say who may call it`);
    routes.push(...[method].flat().map((each) => ({ method: each, url, access })));
  });

  app.addHook('onRequest', async (request, reply) => {
    const access = accessOf(request);
    if (access === undefined || access === 'public') return;
    try {
      const { scheme, secret } = credentials(request.headers.authorization);
      const principal =
        scheme === 'basic'
          ? await store.findApiKey(secret)
          : await store.sessions.findOperator(secret, new Date());
      if (principal === undefined) {
        throw unauthorized(
          scheme === 'basic'
            ? 'This API key is not valid. Check the secret, and that it is encoded alone in base64.'
            : 'This access token is not valid or has expired. Sign in again.',
        );
      }
      request.principal = principal;
    } catch (error) {
      if (error instanceof Refusal) reply.header('WWW-Authenticate', SCHEMES);
      throw error;
    }
  });

  app.addHook('onRequest', async (request) => {
    const access = accessOf(request);
    if (access !== undefined && access !== 'public') authorize(request.principal, access);
  });
  return routes;
};
