import { finished } from 'node:stream';
import { clock, type FactorAnswer, MAX_AUDITED_IDS, Refusal, type Session } from '@chairside/domain';
import { networkOf, siteOf } from '@chairside/http-server';
import type { Asked, Credentials, SignInResult } from '@chairside/mongodb';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../context.ts';
import { type Answers, askingFor, wrongAnswer } from '../factors/answers.ts';
import { type PasskeyOptions, type Passkeys, requirePasskeys } from '../factors/passkeys.ts';
import { suspended } from '../http/authentication.ts';
import type { Metrics } from '../monitoring/metrics.ts';
import type { PasswordGuard } from '../passwords/password-guard.ts';

type Body = { email: string; password: string };
type SignedIn = Session & { token: string };
type Begun = Extract<SignInResult, { outcome: 'signed_in' }>;

const wrongPassword = (): Refusal => new Refusal('Unauthorized', 'Wrong e-mail or password.');

export type SignInParts = Pick<Credentials, 'sessions' | 'challenges' | 'audit'> & {
  guard: PasswordGuard;
  answers: Answers;
  passkeys: Passkeys;
  signedIn: Metrics['signedIn'];
  /** @throws {Refusal} TooManyRequests */
  countAnswer(request: FastifyRequest): Promise<void>;
};

export type SignIn = {
  /**
   * Signs an operator in with a password. An unknown e-mail address and a wrong password get the same response after the
   * same work, so that neither the response nor its time reveals whether the operator exists. The audit entry of a wrong
   * password and the log line of an unknown address are written after the response.
   *
   * @throws {Refusal} Unauthorized, with what is asked besides if the operator has a factor; Forbidden if the organization
   *   is suspended, TooManyRequests, or ServiceUnavailable if too many passwords wait to be checked
   */
  withPassword(request: FastifyRequest<{ Body: Body }>, reply: FastifyReply): Promise<SignedIn>;
  /**
   * Signs an operator in who answers a challenge.
   *
   * @throws {Refusal} Unauthorized, Forbidden if the organization is suspended, or TooManyRequests: while codes are paused, or
   *   after too many answers of the network
   */
  withAnswer(request: FastifyRequest<{ Body: FactorAnswer }>, reply: FastifyReply): Promise<SignedIn>;
  /** Begins a sign-in by passkey alone. @throws {Refusal} Conflict if passkeys cannot be used, or TooManyRequests */
  passkeyChallenge(request: FastifyRequest): Promise<{ challenge: string; options: PasskeyOptions }>;
};

export const createSignIn = (
  app: App,
  { sessions, challenges, audit, guard, answers, passkeys, signedIn, countAnswer }: SignInParts,
): SignIn => {
  /** The counts of refused sign-ins that are not stored yet. The app waits for them when it closes. */
  const counting = new Set<Promise<void>>();
  app.addHook('onClose', async () => void (await Promise.all(counting)));

  /** Counts a refused sign-in after the response, or after the caller has disconnected. */
  const countRefused = (
    request: FastifyRequest,
    reply: FastifyReply,
    { organizationId, operatorId }: { organizationId: string; operatorId: string },
  ): void => {
    const network = networkOf(request.callerAddress);
    finished(reply.raw, () => {
      const counted = audit
        .countRefused({ organizationId, operatorId, network, requestId: request.id })
        .catch((error: unknown) => request.log.error({ err: error }, 'refused sign-in could not be audited'))
        .finally(() => counting.delete(counted));
      counting.add(counted);
    });
  };

  const sourceOf = (request: FastifyRequest) => {
    const address = request.callerAddress;
    const userAgent = request.headers['user-agent'];
    return { network: networkOf(address), site: siteOf(address), address, userAgent };
  };

  const audited = async (request: FastifyRequest, { organizationId, session, endedSessions }: Begun) => {
    await audit.add(organizationId, {
      action: 'signed_in',
      kind: 'session',
      ids: [session._id],
      principal: { kind: 'operator', id: session.operatorId },
      ...(endedSessions.length > 0 && {
        changes: [{ field: 'endedSessions', value: endedSessions.slice(0, MAX_AUDITED_IDS) }],
      }),
      address: request.callerAddress,
      requestId: request.id,
      result: 'ok',
    });
    return session;
  };

  const refusalOf = (asked: Asked): Refusal => askingFor('Unauthorized', asked);

  return {
    async withPassword(request, reply) {
      const { email, password } = request.body;
      const source = sourceOf(request);
      const result = await guard.attempt(
        { name: email, network: source.network, site: source.site },
        () => sessions.isKnown(email, source.network),
        async () => {
          const tried = await sessions.signIn(email, password, clock.now(), source);
          signedIn(tried.outcome);
          if (tried.outcome === 'refused') countRefused(request, reply, tried);
          if (tried.outcome === 'unknown')
            finished(reply.raw, () => request.log.info('sign-in with an unknown e-mail address refused'));
          return tried.outcome === 'refused' || tried.outcome === 'unknown' ? undefined : tried;
        },
      );
      if (result === undefined) throw wrongPassword();
      if (result.outcome === 'suspended') throw suspended();
      if (result.outcome === 'asked') throw refusalOf(result.asked);
      return audited(request, result);
    },

    async withAnswer(request, reply) {
      await countAnswer(request);
      const answered = await answers.check(request.body, ['sign-in', 'passkey']);
      if (answered.outcome === 'unknown') throw wrongPassword();
      if (answered.outcome === 'wrong') {
        signedIn('refused');
        if (answered.asked !== undefined) countRefused(request, reply, answered.asked);
        throw wrongAnswer();
      }
      const result = await sessions.begin(answered.asked, clock.now(), sourceOf(request));
      signedIn(result.outcome);
      if (result.outcome === 'suspended') throw suspended();
      if (result.outcome === 'refused') {
        countRefused(request, reply, result);
        throw wrongPassword();
      }
      return audited(request, result);
    },

    async passkeyChallenge(request) {
      requirePasskeys(passkeys);
      await countAnswer(request);
      const challenge = await challenges.create('passkey', undefined, clock.now());
      return { challenge, options: await passkeys.requestOptions(challenge) };
    },
  };
};
