import { Refusal, ServiceError } from '@chairside/domain';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiResponse } from '../api.ts';
import type { App, Dependencies } from '../context.ts';
import { callerOf, pass } from '../http/caller.ts';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The fields of a sign-in; the api checks them. */
const credentialsIn = (body: unknown): { email: unknown; password: unknown } => {
  const { email, password } = isObject(body) ? body : {};
  return { email: textOf(email), password: textOf(password) };
};

/** The fields of an answer to a challenge; the api checks them. */
const answerIn = (body: unknown): object => {
  const { challenge, code, recoveryCode, assertion } = isObject(body) ? body : {};
  return {
    challenge: textOf(challenge),
    code: textOf(code),
    recoveryCode: textOf(recoveryCode),
    assertion: isObject(assertion) ? assertion : undefined,
  };
};

/** Whether a body has something to answer a challenge with. */
const hasAnswer = (body: unknown): boolean => isObject(body) && body.challenge !== undefined;

/** What the api asks besides the password; undefined if it refuses for another reason. */
const askedIn = ({ status, body }: ApiResponse): Record<string, unknown> | undefined => {
  if (status !== 401 || !isObject(body) || !isObject(body.details)) return undefined;
  const { requiredSecondFactor, challenge } = body.details;
  return requiredSecondFactor === undefined ? undefined : { requiredSecondFactor, challenge };
};

/** Separates the session of a sign-in from its access token. @throws {Error} if the api returned no access token */
const partToken = (body: unknown): { token: string; session: object } => {
  if (!isObject(body) || typeof body.token !== 'string')
    throw new ServiceError('The sign-in returned no token.');
  const { token, ...session } = body;
  return { token, session };
};

/**
 * - `GET /session` returns the session, or `null` if nobody is signed in. A page uses it to find out whether somebody
 *   is signed in.
 * - `POST /session` with `{ email, password }` signs in. It sets the cookie to the access token and returns the session
 *   without the token. `POST /session/challenge` does the same with the answer of an operator who is asked for a factor.
 * - `DELETE /session` signs out.
 * - `POST /session/tokens` with `{ password }` starts another session of the same operator and returns it with its
 *   access token, and so it does with an answer to the challenge that follows. The other responses of these routes contain
 *   no access token.
 */
export const sessionRoutes = (app: App, { api, cookie }: Dependencies): void => {
  app.get('/session', async (request, reply) => {
    const token = cookie.tokenOf(request);
    if (token === undefined) return reply.type('application/json; charset=utf-8').send('null');
    const response = await api.currentSession(callerOf(request), token);
    if (response.status === 200) return response.body;
    if (response.status !== 401) return pass(reply, response);
    cookie.clear(reply);
    return reply.type('application/json; charset=utf-8').send('null');
  });

  /** Keeps the session that the api has begun in the cookie. */
  const begin = async (request: FastifyRequest, reply: FastifyReply, response: ApiResponse) => {
    if (response.status !== 200) return pass(reply, response);
    const { token, session } = partToken(response.body);
    // An earlier session of this browser is ended, so that signing in twice leaves only one session.
    const earlier = cookie.tokenOf(request);
    if (earlier !== undefined) await api.signOut(callerOf(request), earlier).catch(() => {});
    cookie.set(reply, token);
    return session;
  };

  app.post('/session', async (request, reply) => {
    // The body is dropped before the api responds: a parsed body takes many times its bytes.
    const credentials = credentialsIn(request.body);
    request.body = undefined;
    return begin(request, reply, await api.signIn(callerOf(request), credentials));
  });

  app.post('/session/challenge', async (request, reply) => {
    const answer = answerIn(request.body);
    request.body = undefined;
    return begin(request, reply, await api.answerChallenge(callerOf(request), answer));
  });

  app.delete('/session', async (request, reply) => {
    const token = cookie.tokenOf(request);
    cookie.clear(reply);
    if (token === undefined) return reply.status(204).send();
    const response = await api.signOut(callerOf(request), token);
    // After 401 and 404, the session has already ended. After another refusal, the session may continue, but this
    // browser has lost its cookie.
    return [200, 401, 404].includes(response.status) ? reply.status(204).send() : pass(reply, response);
  });

  app.post('/session/tokens', async (request, reply) => {
    const token = cookie.requiredTokenOf(request);
    const current = await api.currentSession(callerOf(request), token);
    if (current.status !== 200) return pass(reply, current);
    const { email, operatorId } = current.body as { email: string; operatorId: string };
    const { body } = request;
    const response = hasAnswer(body)
      ? await api.answerChallenge(callerOf(request), answerIn(body))
      : await api.signIn(callerOf(request), { email, password: credentialsIn(body).password });
    // The page would take a 401 as the end of the session.
    if (response.status === 401)
      throw new Refusal(
        'Forbidden',
        hasAnswer(body)
          ? 'Wrong code, or the time is over.'
          : 'Wrong password. Enter the password that you sign in with.',
        { details: askedIn(response) ?? {} },
      );
    // A challenge that another operator was asked begins a session of that operator.
    if (response.status === 200 && (response.body as { operatorId: string }).operatorId !== operatorId) {
      await api.signOut(callerOf(request), partToken(response.body).token);
      throw new Refusal('Forbidden', 'This is the challenge of another operator. Begin again.');
    }
    return pass(reply, response);
  });
};
