import {
  email,
  enteredPassword,
  newPassword,
  notFound,
  Refusal,
  type Session,
  sessionSchema,
} from '@chairside/domain';
import type { Sessions } from '@chairside/mongodb';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { App, Dependencies } from '../app.ts';
import { createPasswordGuard } from '../plugins/rate-limit.ts';
import { changePassword } from './change-password.ts';

const signedInSchema = sessionSchema.extend({ token: z.string() }).meta({ id: 'SignedIn' });
const config = { access: { role: 'staff' } } as const;
const response = { 200: sessionSchema };

/** The session of the request. */
const currentSession = async (
  sessions: Pick<Sessions, 'find'>,
  { principal }: FastifyRequest,
): Promise<Session> => {
  const session =
    principal.kind === 'operator' && (await sessions.find(principal.sessionId, principal.organizationId));
  if (!session) throw notFound();
  return session;
};

export const sessionRoutes = (app: App, { store, limiter }: Dependencies): void => {
  const { sessions } = store.everyOrganization;
  const guard = createPasswordGuard(limiter);

  app.post(
    '/api/sessions',
    {
      config: { access: 'public' },
      schema: {
        body: z.strictObject({ email, password: enteredPassword }),
        response: { 200: signedInSchema },
      },
    },
    async (request) => {
      const { email: name, password } = request.body;
      const session = await guard.attempt(name, request.ip, () =>
        sessions.signIn(name, password, new Date()),
      );
      if (session === undefined)
        throw new Refusal('Unauthorized', 'E-mail and password do not belong together.');
      return session;
    },
  );

  app.get('/api/sessions/current', { config, schema: { response } }, (request) =>
    currentSession(sessions, request),
  );

  app.delete('/api/sessions/current', { config, schema: { response } }, async (request) => {
    const session = await currentSession(sessions, request);
    await sessions.end(session._id, request.principal.organizationId);
    return session;
  });

  app.put(
    '/api/sessions/current/password',
    { config, schema: { body: z.strictObject({ password: enteredPassword, newPassword }), response } },
    async (request) =>
      changePassword(
        store.organization(request.principal.organizationId),
        guard,
        request,
        await currentSession(sessions, request),
        request.body,
      ),
  );
};
