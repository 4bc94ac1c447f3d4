import {
  CONFIRMATION_LIFE_MS,
  clock,
  type Principal,
  Refusal,
  type Role,
  type Scope,
  type TokenAccess,
} from '@chairside/domain';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PRINCIPAL_LIFE_MS } from './principal-cache.ts';

type ProgramAccess = {
  /** Program tokens with this access may call the route, too. */
  program?: TokenAccess;
};
type OperatorAccess = ProgramAccess & {
  role: Role;
  /** The operator must have entered the password in the last ten minutes, to change the factors if it says so. */
  confirmed?: true | 'factors';
  /** The route is open to operators who must change their password first. */
  beforePasswordChange?: true;
  /** The route is open to operators who must add a factor first. */
  beforeFactor?: true;
};
/**
 * The principals that may call a route:
 *
 * - `public`: everyone, without credentials
 * - `scope` or `anyScope`: API keys with that scope, or with one of those scopes, and operators. With no scopes in
 *   `anyScope`, each part of the request needs its own, or the request is about the key itself (`keysOnly`)
 * - `role`: operators with that role; administrators may also call routes for staff
 *
 * Program tokens may call only routes with their access as `program`.
 *
 * Operators who must change their password first may call only routes that are public or have `beforePasswordChange`, and
 * operators who must add a factor first only those with `beforeFactor`.
 */
export type Access =
  | 'public'
  | (ProgramAccess & { scope: Scope })
  | (ProgramAccess & { anyScope: readonly Scope[]; keysOnly?: true })
  | OperatorAccess;

declare module 'fastify' {
  interface FastifyRequest {
    /** @throws {Refusal} Forbidden if the principal lacks a scope that only a part of the request needs */
    requireScope(scope: Scope): void;
  }
  interface FastifyContextConfig {
    access?: Access;
  }
}

type Of<Kind extends Principal['kind']> = Extract<Principal, { kind: Kind }>;

/** The scopes of which a key needs one. */
export const scopesOf = (access: Exclude<Access, 'public' | OperatorAccess>): readonly Scope[] =>
  'scope' in access ? [access.scope] : access.anyScope;

const requireScope = (principal: Of<'apiKey' | 'operator'>, accepted: readonly Scope[]): void => {
  if (principal.kind === 'operator' || accepted.length === 0) return;
  if (accepted.some((scope) => principal.scopes.includes(scope))) return;
  throw new Refusal(
    'Forbidden',
    `This API key lacks the scope ${accepted.join(' or ')}. Ask an administrator to add it.`,
    { details: { requiredScope: accepted[0] } },
  );
};

const requireApiKey = ({ kind }: Of<'apiKey' | 'operator'>): void => {
  if (kind === 'apiKey') return;
  throw new Refusal(
    'Forbidden',
    'This request is about the API key that sends it. Send one, or get your session with GET /api/sessions/current.',
  );
};

const WHAT_PROGRAMS_DO: Readonly<Record<TokenAccess, string>> = {
  webhooks: 'manages subscriptions and their deliveries, and reads clinics and the event log',
};

const requireProgramAccess = (
  { access: granted }: Of<'programToken'>,
  access: Exclude<Access, 'public'>,
): void => {
  if (access.program === granted) return;
  const instead =
    'role' in access
      ? 'Sign in as an operator instead.'
      : 'Use an API key, or sign in as an operator instead.';
  throw new Refusal(
    'Forbidden',
    `This program token has the access ${granted}: it ${WHAT_PROGRAMS_DO[granted]}, and nothing else. ${instead}`,
    {
      details: 'role' in access ? { requiredRole: access.role } : { requiredScope: scopesOf(access)[0] },
    },
  );
};

const requireOwnChoiceOfPassword = ({ passwordChangeRequired }: Of<'operator'>): void => {
  if (!passwordChangeRequired) return;
  throw new Refusal(
    'Forbidden',
    'Somebody else set your password. Change it with PUT /api/sessions/current/password first.',
    { details: { requiredPasswordChange: true } },
  );
};

const requireFactor = ({ factorRequired }: Of<'operator'>): void => {
  if (!factorRequired) return;
  throw new Refusal(
    'Forbidden',
    'Your organization requires a factor besides the password. Add a passkey or an app for codes first.',
    { details: { requiredFactor: true } },
  );
};

/**
 * Requires an operator who has entered the password in the last ten minutes.
 *
 * @param what whether the password must have been entered to change the factors
 * @throws {Refusal} Forbidden with `details.requiredConfirmation`
 */
export const requireConfirmation = (
  principal: Principal,
  requiredRole: Role,
  what: 'password' | 'factors' = 'password',
): void => {
  const time =
    principal.kind === 'operator' &&
    (what === 'password' ? principal.confirmedTime : principal.factorsConfirmedTime);
  if (time && clock.now().getTime() - time.getTime() < CONFIRMATION_LIFE_MS) return;
  const body = what === 'password' ? '' : ' and { "for": "factors" }';
  throw new Refusal(
    'Forbidden',
    `This request needs a confirmed password. Enter your password again with POST /api/sessions/current/confirm${body}, then repeat the request.`,
    { details: { requiredRole, requiredConfirmation: what } },
  );
};

/** @throws {Refusal} Forbidden if the principal may not call a route with this access */
export const authorize = (principal: Principal, access: Exclude<Access, 'public'>): void => {
  if (principal.kind === 'programToken') {
    requireProgramAccess(principal, access);
    return;
  }
  if (!('role' in access)) {
    requireScope(principal, scopesOf(access));
    if (principal.kind === 'operator') {
      requireOwnChoiceOfPassword(principal);
      requireFactor(principal);
    }
    if ('keysOnly' in access) requireApiKey(principal);
    return;
  }
  const mayCall =
    principal.kind === 'operator' && (principal.role === 'administrator' || access.role === 'staff');
  if (!mayCall) {
    throw new Refusal(
      'Forbidden',
      `This request needs an operator with the role ${access.role}. Send the access token of such an operator.`,
      {
        details: { requiredRole: access.role },
      },
    );
  }
  if (!access.beforePasswordChange) requireOwnChoiceOfPassword(principal);
  if (!access.beforeFactor) requireFactor(principal);
  if (access.confirmed)
    requireConfirmation(principal, access.role, access.confirmed === true ? 'password' : access.confirmed);
};

/** The access of the route of a request; undefined when no route matches. */
export const accessOf = (request: FastifyRequest): Access | undefined => request.routeOptions.config.access;

/** Refuses principals that may not call the route. */
export const authorization = (app: FastifyInstance): void => {
  app.decorateRequest('requireScope', function (this: FastifyRequest, scope: Scope) {
    authorize(this.principal, { scope });
  });
  app.addHook('onRequest', async (request) => {
    const access = accessOf(request);
    if (access !== undefined && access !== 'public') authorize(request.principal, access);
  });
  // The body may have taken half a minute to arrive, so the credentials are checked again.
  app.addHook('preHandler', async (request) => request.authorizeAgain(PRINCIPAL_LIFE_MS));
};
