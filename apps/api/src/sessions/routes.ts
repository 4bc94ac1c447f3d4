import { ACCESS_TOKEN_PREFIX, email, instant, notFound, Refusal, roleSchema, text } from '@chairside/domain';
import { z } from 'zod';
import type { App, Dependencies } from '../app.ts';
import { createPasswordGuard } from '../plugins/rate-limit.ts';

const sessionSchema = z
  .object({
    _id: z.string().meta({ description: 'Identifier.', examples: ['01JB0000000000000SESS10N00'] }),
    operatorId: z.string().meta({ description: 'Whose it is.', examples: ['01JB00000000000000PERAT0R0'] }),
    role: roleSchema.meta({ description: 'What the operator may do.', examples: ['administrator'] }),
    createdTime: instant.meta({ description: 'When it began.', examples: ['2030-01-31T08:00:00.000Z'] }),
    expiryTime: instant.meta({
      description: 'When it ends at the latest; it ends earlier when it is not used for 60 minutes.',
      examples: ['2030-01-31T20:00:00.000Z'],
    }),
  })
  .meta({ id: 'Session', description: 'That an operator is signed in.' });
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

/** The longest password that is accepted, in characters. */
const MAX_PASSWORD_LENGTH = 1000;

const signInSchema = z
  .strictObject({
    email: email.meta({ description: 'E-mail address of the operator.', examples: ['operator@example.com'] }),
    password: text(MAX_PASSWORD_LENGTH).meta({
      description: 'The password.',
      examples: ['correct horse battery'],
    }),
  })
  .meta({ id: 'SignIn' });

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
    async ({ principal }) => {
      const session =
        principal.kind === 'operator' && (await sessions.find(principal.sessionId, principal.organizationId));
      if (!session) throw notFound();
      return session;
    },
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
    async ({ principal }) => {
      const session =
        principal.kind === 'operator' && (await sessions.find(principal.sessionId, principal.organizationId));
      if (!session) throw notFound();
      await sessions.end(session._id, principal.organizationId);
      return session;
    },
  );
};
