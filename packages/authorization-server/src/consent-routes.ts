import { type CurrentSession, Refusal } from '@chairside/domain';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuthorizationServer } from './authorization-server.ts';
import { PATHS } from './configuration.ts';
import { allow, deny, findInteraction, type Pending, showTo } from './consent.ts';
import { orUnavailable } from './unavailable.ts';

/** What the consent page needs from the server that it is part of. */
export type ConsentOptions = {
  /** The document of the page. */
  document: Buffer;
  /**
   * The session of the operator behind a request; undefined if a refusal was sent.
   *
   * @throws {Refusal} Unauthorized if nobody is signed in
   */
  sessionOf(request: FastifyRequest, reply: FastifyReply): Promise<CurrentSession | undefined>;
};

type OfInteraction = { Params: { uid: string } };

const formActionOf = (policy: unknown, source: string): string =>
  String(policy).replace("form-action 'self'", () => `form-action 'self' ${source}`);

const decisionOf = (body: unknown): 'allow' | 'deny' => {
  const decision = (body as { decision?: unknown } | null)?.decision;
  if (decision === 'allow' || decision === 'deny') return decision;
  throw new Refusal('BadRequest', '`decision` must be allow or deny.');
};

/**
 * The routes of the consent page. They have a common path prefix, because the browser sends the cookie of an
 * interaction to this path only.
 *
 * - `GET /oauth/consent/{uid}`: the page that asks for consent.
 * - `GET /oauth/consent/{uid}/details`: the details that the page shows.
 * - `POST /oauth/consent/{uid}/decision` with `{ decision: "allow" | "deny" }`: returns `{ location }`, the address
 *   that redirects the browser back to the app.
 */
export const consentRoutes = (
  app: FastifyInstance,
  oauth: AuthorizationServer,
  { document, sessionOf }: ConsentOptions,
): void => {
  const path = `${PATHS.consent}/:uid`;
  const config = { door: 'oauth-consent' } as const;

  const pendingOf = (
    { raw, params }: FastifyRequest<OfInteraction>,
    { raw: response }: FastifyReply,
  ): Promise<Pending> => orUnavailable(findInteraction(oauth, raw, response, params.uid));

  app.get<OfInteraction>(path, { exposeHeadRoute: false, config }, async (request, reply) => {
    const pending = await pendingOf(request, reply).catch((error: unknown) => {
      // The page is sent all the same. Its request for the details is then refused, and it shows the refusal.
      if (error instanceof Refusal) return undefined;
      throw error;
    });
    if (pending !== undefined) {
      const policy = reply.getHeader('content-security-policy');
      reply.header('content-security-policy', formActionOf(policy, pending.redirect.source));
    }
    return reply.type('text/html; charset=utf-8').send(document);
  });

  app.get<OfInteraction>(`${path}/details`, { exposeHeadRoute: false, config }, async (request, reply) => {
    const session = await sessionOf(request, reply);
    if (session === undefined) return reply;
    const pending = await pendingOf(request, reply);
    return orUnavailable(showTo(oauth, pending, session.operatorId));
  });

  app.post<OfInteraction>(`${path}/decision`, { config }, async (request, reply) => {
    const decision = decisionOf(request.body);
    const pending = await pendingOf(request, reply);
    const operatorId = pending.shown?.operatorId;
    // The operator is read before the session. If the operator's access changes in between, the grant is invalid.
    const operator =
      operatorId === undefined ? undefined : await orUnavailable(oauth.store.grants.findOperator(operatorId));
    const session = await sessionOf(request, reply);
    if (session === undefined) return reply;
    const by = { session, operator, address: request.ip, requestId: request.id };
    const decide = decision === 'allow' ? allow : deny;
    return { location: await orUnavailable(decide(oauth, pending, by, request.raw, reply.raw)) };
  });
};
