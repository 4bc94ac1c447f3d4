import { Refusal, type Session } from '@chairside/domain';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuthorizationServer } from './authorization-server.ts';
import { PATHS } from './configuration.ts';
import { allow, deny, findInteraction, type Pending, showTo } from './consent.ts';
import { orUnavailable } from './unavailable.ts';

/** What the consent page needs of the server that it is a part of. */
export type ConsentOptions = {
  /** The document of the page. */
  document: Buffer;
  /**
   * The session of the operator behind a request; undefined if a refusal was sent.
   *
   * @throws {Refusal} Unauthorized if nobody is signed in
   */
  sessionOf(request: FastifyRequest, reply: FastifyReply): Promise<Session | undefined>;
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
 * - `GET /oauth/consent/{uid}`: the page that asks. Its address begins like that of the other two, because the cookie of an
 *   interaction belongs to this path.
 * - `GET /oauth/consent/{uid}/details`: what it shows.
 * - `POST /oauth/consent/{uid}/decision` with `{ decision: "allow" | "deny" }`: returns `{ location }`, from where the browser
 *   is led back to the app.
 */
export const consentRoutes = (
  app: FastifyInstance,
  oauth: AuthorizationServer,
  { document, sessionOf }: ConsentOptions,
): void => {
  const path = `${PATHS.consent}/:uid`;

  const pendingOf = (
    { raw, params }: FastifyRequest<OfInteraction>,
    { raw: response }: FastifyReply,
  ): Promise<Pending> => orUnavailable(findInteraction(oauth, raw, response, params.uid));

  app.get<OfInteraction>(path, { exposeHeadRoute: false }, async (request, reply) => {
    const pending = await pendingOf(request, reply).catch((error: unknown) => {
      // The page shows that the request has expired.
      if (error instanceof Refusal) return undefined;
      throw error;
    });
    if (pending !== undefined) {
      const policy = reply.getHeader('content-security-policy');
      reply.header('content-security-policy', formActionOf(policy, pending.redirect.source));
    }
    return reply.type('text/html; charset=utf-8').send(document);
  });

  app.get<OfInteraction>(`${path}/details`, { exposeHeadRoute: false }, async (request, reply) => {
    const session = await sessionOf(request, reply);
    if (session === undefined) return reply;
    const pending = await pendingOf(request, reply);
    return orUnavailable(showTo(oauth, pending, session.operatorId));
  });

  app.post<OfInteraction>(`${path}/decision`, async (request, reply) => {
    const decision = decisionOf(request.body);
    const pending = await pendingOf(request, reply);
    const operatorId = pending.shown?.operatorId;
    // Before the session is read, so that a change of the operator's access in between makes the grant invalid.
    const operator =
      operatorId === undefined ? undefined : await orUnavailable(oauth.store.grants.findOperator(operatorId));
    const session = await sessionOf(request, reply);
    if (session === undefined) return reply;
    const by = { session, operator, address: request.ip, requestId: request.id };
    const decide = decision === 'allow' ? allow : deny;
    return { location: await orUnavailable(decide(oauth, pending, by, request.raw, reply.raw)) };
  });
};
