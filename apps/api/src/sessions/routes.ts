import {
  ACCESS_TOKEN_PREFIX,
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

const signedInSchema = sessionSchema
  .extend({
    token: z.string().meta({
      description: 'The access token. It is not shown again.',
      examples: [`${ACCESS_TOKEN_PREFIX}${'0'.repeat(43)}`],
    }),
  })
  .meta({ id: 'SignedIn', description: 'A new session with its access token.' });
const config = { access: { role: 'staff' } } as const;
const response = { 200: sessionSchema };
const tags = ['Sessions'];

const signInSchema = z
  .strictObject({
    email: email.meta({ description: 'E-mail address of the operator.', examples: ['operator@example.com'] }),
    password: enteredPassword.meta({ description: 'The password.', examples: ['correct horse battery'] }),
  })
  .meta({ id: 'SignIn' });
const passwordChangeSchema = z
  .strictObject({
    password: enteredPassword.meta({
      description: 'The password until now.',
      examples: ['correct horse battery'],
    }),
    newPassword: newPassword.meta({ description: 'The one from now on.', examples: ['staple of the horse'] }),
  })
  .meta({ id: 'PasswordChange' });

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
        tags,
        operationId: 'signIn',
        summary: 'Sign in',
        description:
          'Gives an access token for at most 12 hours. After five failures in a minute of one e-mail from one address, or 50 of either alone: 429.',
        refusals: [401, 429, 503],
        body: signInSchema,
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

  app.get(
    '/api/sessions/current',
    {
      config,
      schema: {
        tags,
        operationId: 'getCurrentSession',
        summary: 'Get the current session',
        description: 'The session of the access token.',
        refusals: [404],
        response,
      },
    },
    (request) => currentSession(sessions, request),
  );

  app.delete(
    '/api/sessions/current',
    {
      config,
      schema: {
        tags,
        operationId: 'signOut',
        summary: 'Sign out',
        description: 'Ends the session of the access token and answers it.',
        refusals: [404],
        response,
      },
    },
    async (request) => {
      const session = await currentSession(sessions, request);
      await sessions.end(session._id, request.principal.organizationId);
      return session;
    },
  );

  app.put(
    '/api/sessions/current/password',
    {
      config,
      schema: {
        tags,
        operationId: 'changePassword',
        summary: 'Change your own password',
        description: 'Ends your other sessions. A wrong password is a 403, and after five in a minute a 429.',
        refusals: [404],
        body: passwordChangeSchema,
        response,
      },
    },
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
