import { CONFIRMATION_LIFE, type Principal, Refusal, type Role, type Scope } from '@chairside/domain';
import type { EveryOrganization } from '@chairside/mongodb';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RejectionGuard } from './rate-limit.ts';

type OperatorAccess = {
  role: Role;
  /** The password must have been entered in the last ten minutes. */
  confirmed?: true;
  /** Open to an operator who must change the password first. */
  beforePasswordChange?: true;
};
/**
 * Who may call a route: everybody, keys with this scope (or with any of these) and all operators, or operators with
 * this role only.
 */
export type Access = 'public' | { scope: Scope } | { anyScope: readonly Scope[] } | OperatorAccess;

/** A route as it was registered. */
export type RouteEntry = { method: string; url: string; access: Access };

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
  interface FastifyRequest {
    /** Who calls. Routes with `access: 'public'` must not ask. */
    principal: Principal;
    /** When it was last asked who calls, by the monotonic clock. */
    identifiedAt: number;
    /**
     * Asks once more who calls and whether they may, for a request that has waited in between: for its body, for its
     * turn, for a reader.
     *
     * @param age how old the last answer may be, in milliseconds; 0 when absent
     * @throws {Refusal} when they may not any more
     */
    authorizeAgain(age?: number): Promise<void>;
  }
}

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

type Operator = Extract<Principal, { kind: 'operator' }>;

const requireOwnChoiceOfPassword = ({ passwordChangeRequired }: Operator): void => {
  if (!passwordChangeRequired) return;
  throw new Refusal(
    'Forbidden',
    'Somebody else has chosen your password. Change it with PUT /api/sessions/current/password first.',
    { details: { requiredPasswordChange: true } },
  );
};

/**
 * Refuses an operator who has not entered the password in the last ten minutes.
 *
 * @throws {Refusal} Forbidden with `details.requiredConfirmation`
 */
export const requireConfirmation = (principal: Principal, requiredRole: Role): void => {
  if (principal.kind === 'operator' && Date.now() - principal.confirmedTime.getTime() < CONFIRMATION_LIFE)
    return;
  throw new Refusal(
    'Forbidden',
    'Enter your password again with POST /api/sessions/current/confirm, then repeat this request.',
    { details: { requiredRole, requiredConfirmation: 'password' } },
  );
};

const authorize = (principal: Principal, access: Exclude<Access, 'public'>): void => {
  if (!('role' in access)) {
    requireScope(principal, 'scope' in access ? [access.scope] : access.anyScope);
    if (principal.kind === 'operator') requireOwnChoiceOfPassword(principal);
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
  if (!access.beforePasswordChange) requireOwnChoiceOfPassword(principal);
  if (access.confirmed) requireConfirmation(principal, access.role);
};

/** How long a principal is believed without being looked up again, in milliseconds; below one second by contract. */
export const PRINCIPAL_LIFE = 500;
const MAX_PRINCIPALS = 10_000;

type Lookup = (secret: string) => Promise<Principal | undefined>;

/** Remembers for a moment who presented a secret, so that a busy caller is not looked up for each request. */
const remembering = (lookup: Lookup): Lookup => {
  const known = new Map<string, { principal: Principal; until: number }>();
  return async (secret) => {
    const now = performance.now();
    const found = known.get(secret);
    if (found !== undefined && found.until > now) return found.principal;
    const principal = await lookup(secret);
    if (known.size >= MAX_PRINCIPALS) known.clear();
    // From before the look-up: what was deleted meanwhile must not live longer for it.
    if (principal === undefined) known.delete(secret);
    else known.set(secret, { principal, until: now + PRINCIPAL_LIFE });
    return principal;
  };
};

const accessOf = (request: FastifyRequest): Access | undefined => request.routeOptions.config.access;

/**
 * Finds out who calls before anything else of the request is read.
 * A route that does not say who may call it is refused at start.
 *
 * @returns the list of routes, which grows with each that is registered
 */
export const authentication = (
  app: FastifyInstance,
  store: Pick<EveryOrganization, 'findApiKey' | 'sessions'>,
  rejections: RejectionGuard,
): RouteEntry[] => {
  const routes: RouteEntry[] = [];
  const findApiKey = remembering((secret) => store.findApiKey(secret, new Date()));

  app.decorateRequest('principal');
  app.decorateRequest('identifiedAt', 0);
  app.decorateRequest('authorizeAgain', async function (this: FastifyRequest, age = 0) {
    const access = accessOf(this);
    if (access === undefined || access === 'public' || performance.now() - this.identifiedAt < age) return;
    this.identifiedAt = performance.now();
    this.principal = await identify(this);
    authorize(this.principal, access);
  });
  app.addHook('onRoute', ({ config, method, url }) => {
    const access = config?.access;
    if (access === undefined) throw new Error(`${method} ${url} does not say who may call it`);
    routes.push(...[method].flat().map((each) => ({ method: each, url, access })));
  });

  const identify = async ({ headers }: FastifyRequest): Promise<Principal> => {
    const { scheme, secret } = credentials(headers.authorization);
    const principal =
      scheme === 'basic' ? await findApiKey(secret) : await store.sessions.findOperator(secret, new Date());
    if (principal !== undefined) return principal;
    throw unauthorized(
      scheme === 'basic'
        ? 'This API key is not valid. Check the secret, and that it is encoded alone in base64.'
        : 'This access token is not valid or has expired. Sign in again.',
    );
  };

  app.addHook('onRequest', async (request) => {
    const access = accessOf(request);
    if (access === undefined || access === 'public') return;
    request.identifiedAt = performance.now();
    try {
      request.principal = await identify(request);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      await rejections.count(request.ip);
      throw error;
    }
  });
  return routes;
};

/** Refuses who may not call the route. After the rate limit: a refusal counts as a request too. */
export const authorization = (app: FastifyInstance): void => {
  app.addHook('onRequest', async (request) => {
    const access = accessOf(request);
    if (access !== undefined && access !== 'public') authorize(request.principal, access);
  });
  // Its body may have taken half a minute to arrive.
  app.addHook('preHandler', async (request) => request.authorizeAgain(PRINCIPAL_LIFE));
};
