import { email, instant, notFound, Refusal, roleSchema, text } from '@chairside/domain';
import { z } from 'zod';
import type { App, Dependencies } from '../app.ts';
import { createPasswordGuard } from '../plugins/rate-limit.ts';

const sessionSchema = z
  .object({
    _id: z.string(),
    operatorId: z.string(),
    role: roleSchema,
    createdTime: instant,
    expiryTime: instant,
  })
  .meta({ id: 'Session' });
const signedInSchema = sessionSchema.extend({ token: z.string() }).meta({ id: 'SignedIn' });
const config = { access: { role: 'staff' } } as const;
const response = { 200: sessionSchema };

/** The longest password that is accepted, in characters. */
const MAX_PASSWORD_LENGTH = 1000;

export const sessionRoutes = (app: App, { store, limiter }: Dependencies): void => {
  const { sessions } = store.everyOrganization;
  const guard = createPasswordGuard(limiter);

  app.post(
    '/api/sessions',
    {
      config: { access: 'public' },
      schema: {
        body: z.strictObject({ email, password: text(MAX_PASSWORD_LENGTH) }),
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

  app.get('/api/sessions/current', { config, schema: { response } }, async ({ principal }) => {
    const session =
      principal.kind === 'operator' && (await sessions.find(principal.sessionId, principal.organizationId));
    if (!session) throw notFound();
    return session;
  });

  app.delete('/api/sessions/current', { config, schema: { response } }, async ({ principal }) => {
    const session =
      principal.kind === 'operator' && (await sessions.find(principal.sessionId, principal.organizationId));
    if (!session) throw notFound();
    await sessions.end(session._id, principal.organizationId);
    return session;
  });
};
