import {
  ACCESS_TOKEN_PREFIX,
  type CurrentProgramToken,
  type CurrentSession,
  challengeAnswerSchema,
  clock,
  currentProgramTokenSchema,
  currentSessionSchema,
  email,
  enteredPassword,
  MAX_SESSIONS,
  newPassword,
  noFieldsSchema,
  notFound,
  passkeyChallengeSchema,
  sessionSchema,
} from '@chairside/domain';
import type { Sessions, Store } from '@chairside/mongodb';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { refOf } from '../audit/origin.ts';
import { withAuditEntry } from '../audit/security-actions.ts';
import type { App, Dependencies } from '../context.ts';
import type { Passkeys } from '../factors/passkeys.ts';
import { operatorOf } from '../http/operator.ts';
import type { KnowsMail } from '../mail/known-mail.ts';
import { type OwnPasswordChecks, ownPasswordBody, requireOwnPassword } from '../passwords/own-password.ts';
import { countAnswers } from './answer-limits.ts';
import { changePassword } from './change-password.ts';
import { ownSessionRoutes } from './own-sessions.ts';
import { programTokenRoutes } from './program-tokens.ts';
import { createSignIn, type SignIn } from './sign-in.ts';

const signedInSchema = sessionSchema
  .extend({
    token: z.string().meta({
      description: 'The access token. No other response contains it.',
      examples: [`${ACCESS_TOKEN_PREFIX}${'0'.repeat(43)}`],
    }),
  })
  .meta({ id: 'SignedIn', description: 'A new session with its access token.' });
const config = { access: { role: 'staff', beforeFactor: true } } as const;
const configBeforePasswordChange = {
  access: { role: 'staff', beforePasswordChange: true, beforeFactor: true },
} as const;
const response = { 200: sessionSchema };
const tags = ['Sessions'];

const signInSchema = z
  .strictObject({
    email: email.meta({ description: 'E-mail address of the operator.', examples: ['operator@example.com'] }),
    password: enteredPassword.meta({ description: 'The password.', examples: ['correct horse battery'] }),
  })
  .meta({ id: 'SignIn' });
const passwordChangeSchema = ownPasswordBody('PasswordChange', {
  newPassword: newPassword.meta({
    description: 'The new password. It must not be easy to guess.',
    examples: ['staple of the horse'],
  }),
});

const confirmationSchema = ownPasswordBody('Confirmation', {
  for: z
    .literal('factors')
    .optional()
    .describe('Needed before the factors are changed. A sign-in does not count for this.'),
});

const currentSession = async (
  sessions: Pick<Sessions, 'find'>,
  request: FastifyRequest,
): Promise<NonNullable<Awaited<ReturnType<Sessions['find']>>>> => {
  const session = await sessions.find(operatorOf(request));
  if (session === undefined) throw notFound();
  return session;
};

const currentProgramToken = async (
  everyStore: Pick<Store, 'ciphers'>,
  { principal, store }: FastifyRequest,
): Promise<CurrentProgramToken> => {
  const token = await store.programTokens.find(principal.id, clock.now());
  if (token === undefined) throw notFound();
  return { ...token, ref: (await refOf(everyStore, principal)) as string };
};

/** Registers the routes of a sign-in with a factor. */
const factorSignInRoutes = (app: App, signIn: SignIn): void => {
  app.post(
    '/api/sessions/challenge',
    {
      config: { access: 'public' },
      schema: {
        tags,
        operationId: 'answerChallenge',
        summary: 'Sign in with a factor',
        description:
          'Answers the `challenge` of a sign-in with a code, a recovery code, or the answer of a passkey, and returns an access token. A challenge works for five minutes, once, and for five wrong answers. A code works once. After ten wrong codes in an hour, codes of the operator are refused with 429 for an hour; passkeys and recovery codes work. Returns 403 if the operator of the service has suspended the organization.',
        refusals: [401, 403, 429, 503],
        body: challengeAnswerSchema,
        response: { 200: signedInSchema },
      },
    },
    signIn.withAnswer,
  );

  app.post(
    '/api/sessions/passkey',
    {
      config: { access: 'public' },
      schema: {
        tags,
        operationId: 'beginPasskeySignIn',
        summary: 'Sign in with a passkey alone',
        description:
          'Returns a challenge, and what a browser needs to answer it with a passkey of any operator: `options` is the argument of `PublicKeyCredential.parseRequestOptionsFromJSON`. Answer it with `POST /api/sessions/challenge`. Returns 409 if passkeys cannot be used.',
        refusals: [409, 429, 503],
        body: noFieldsSchema,
        response: { 200: passkeyChallengeSchema },
      },
    },
    signIn.passkeyChallenge,
  );
};

export const sessionRoutes = (
  app: App,
  {
    store,
    limiter,
    metrics,
    strength,
    ownPassword,
    passkeys,
    knowsMail,
  }: Dependencies & { ownPassword: OwnPasswordChecks; passkeys: Passkeys; knowsMail: KnowsMail },
): void => {
  const { sessions } = store.everyOrganization;
  const signIn = createSignIn(app, {
    ...store.everyOrganization,
    ...ownPassword,
    passkeys,
    signedIn: metrics.signedIn,
    countAnswer: countAnswers(limiter),
  });

  app.post(
    '/api/sessions',
    {
      config: { access: 'public' },
      schema: {
        tags,
        operationId: 'signIn',
        summary: 'Sign in',
        description: `Returns an access token that is valid for at most 12 hours. An operator can have ${MAX_SESSIONS} open sessions; a sign-in beyond that ends the session that was used least recently. Returns 429 after five failures in a minute for one e-mail address from one network, after 50 for one e-mail address, or after 50 from one network. The limit of 50 for an e-mail address does not apply to networks where the operator has signed in before, so a stranger cannot lock an operator out. An operator can sign in at most 300 times an hour. An IPv6 network is a /64. An operator who has a factor gets a 401 with \`requiredSecondFactor\` and \`challenge\`, which \`POST /api/sessions/challenge\` answers. Returns 403 if the operator of the service has suspended the organization.`,
        refusals: [401, 403, 429, 503],
        body: signInSchema,
        response: { 200: signedInSchema },
      },
    },
    signIn.withPassword,
  );

  factorSignInRoutes(app, signIn);

  app.get(
    '/api/sessions/current',
    {
      config: { access: { ...config.access, program: 'webhooks' } },
      schema: {
        tags,
        operationId: 'getCurrentSession',
        summary: 'Get the current session',
        description:
          'Returns the session of the access token with the name of the organization, or the program token of the request with its end.',
        refusals: [404],
        response: { 200: z.union([currentSessionSchema, currentProgramTokenSchema]) },
      },
    },
    async (request): Promise<CurrentSession | CurrentProgramToken> => {
      if (request.principal.kind === 'programToken') return currentProgramToken(store, request);
      const [session, name, mail] = await Promise.all([
        currentSession(sessions, request),
        request.store.organizationName(),
        knowsMail(),
      ]);
      const { factorRequired } = operatorOf(request);
      return { ...session, factorRequired, organization: { name }, mail };
    },
  );

  app.delete(
    '/api/sessions/current',
    {
      config: configBeforePasswordChange,
      schema: {
        tags,
        operationId: 'signOut',
        summary: 'Sign out',
        description: 'Ends the session of the access token and returns it.',
        refusals: [404],
        response,
      },
    },
    async (request) => {
      const { organizationId } = request.principal;
      const session = await currentSession(sessions, request);
      const action = { action: 'signed_out', kind: 'session', ids: [session._id] } as const;
      await withAuditEntry(request, action, () => sessions.end(session._id, organizationId));
      return session;
    },
  );

  app.post(
    '/api/sessions/current/confirm',
    {
      config,
      schema: {
        tags,
        operationId: 'confirmPassword',
        summary: 'Confirm your password',
        description:
          'Confirms the password of the session for ten minutes. These operations need a confirmation: creating, changing and deleting operators, ending their sessions, creating API keys and program tokens, and adding scopes to a key or raising its limit. Signing in counts as a confirmation. Changing the factors needs one with `for: "factors"`. Returns 403 for a wrong password, and with `requiredSecondFactor` if the factor is missing. The limits of signing in apply.',
        refusals: [401, 404],
        body: confirmationSchema,
        response,
      },
    },
    async (request) => {
      const { organizationId, id } = request.principal;
      const session = await currentSession(sessions, request);
      await withAuditEntry(request, { action: 'confirmed', kind: 'operator', ids: [id] }, async () => {
        await requireOwnPassword(ownPassword, request, request.body, 'staff');
        const isForFactors = request.body.for === 'factors';
        await sessions.confirm(session._id, organizationId, clock.now(), isForFactors);
      });
      return currentSession(sessions, request);
    },
  );

  app.put(
    '/api/sessions/current/password',
    {
      config: configBeforePasswordChange,
      schema: {
        tags,
        operationId: 'changePassword',
        summary: 'Change your own password',
        description:
          'Changes your password and ends your other sessions. Returns 403 for a wrong password, and with `requiredSecondFactor` if the factor is missing, and 429 after five wrong passwords in a minute. Returns 409 and changes nothing if somebody else changes your password or your session ends while the request is in flight.',
        refusals: [401, 404, 409],
        body: passwordChangeSchema,
        response,
      },
    },
    async (request) => {
      const { id } = request.principal;
      const session = await currentSession(sessions, request);
      await withAuditEntry(request, { action: 'password_changed', kind: 'operator', ids: [id] }, () =>
        changePassword(ownPassword, strength, request, session, request.body),
      );
      return currentSession(sessions, request);
    },
  );

  ownSessionRoutes(app, sessions, store.secrets);
  programTokenRoutes(app);
};
