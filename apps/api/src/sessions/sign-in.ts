import { finished } from 'node:stream';
import { clock, MAX_AUDITED_IDS, Refusal, type Session } from '@chairside/domain';
import { networkOf, siteOf } from '@chairside/http-server';
import type { Credentials } from '@chairside/mongodb';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../context.ts';
import { suspended } from '../http/authentication.ts';
import type { Metrics } from '../metrics.ts';
import type { PasswordGuard } from '../passwords/password-guard.ts';

type Body = { email: string; password: string };
type SignedIn = Session & { token: string };

/**
 * Signs an operator in. An unknown e-mail address and a wrong password get the same response after the same work, so
 * that neither the response nor its time reveals whether the operator exists. The audit entry of a wrong password and
 * the log line of an unknown address are written after the response.
 *
 * @throws {Refusal} Unauthorized, Forbidden if the organization is suspended, TooManyRequests, or ServiceUnavailable if too many passwords wait to be checked
 */
export const createSignIn = (
  app: App,
  { sessions, audit }: Pick<Credentials, 'sessions' | 'audit'>,
  guard: PasswordGuard,
  { signedIn }: Pick<Metrics, 'signedIn'>,
) => {
  /** The counts of refused sign-ins that are not stored yet. The app waits for them when it closes. */
  const counting = new Set<Promise<void>>();
  app.addHook('onClose', async () => void (await Promise.all(counting)));

  const count = (
    request: FastifyRequest,
    organizationId: string,
    operatorId: string,
    network: string,
  ): void => {
    const counted = audit
      .countRefused({ organizationId, operatorId, network, requestId: request.id })
      .catch((error: unknown) => request.log.error({ err: error }, 'refused sign-in could not be audited'))
      .finally(() => counting.delete(counted));
    counting.add(counted);
  };

  return async (request: FastifyRequest<{ Body: Body }>, reply: FastifyReply): Promise<SignedIn> => {
    const { email, password } = request.body;
    const address = request.callerAddress;
    const [network, site] = [networkOf(address), siteOf(address)];
    const session = await guard.attempt(
      { name: email, network, site },
      () => sessions.isKnown(email, network),
      async () => {
        const result = await sessions.signIn(email, password, clock.now(), {
          network,
          site,
          address,
          userAgent: request.headers['user-agent'],
        });
        signedIn(result.outcome);
        if (result.outcome === 'signed_in') {
          const { endedSessions } = result;
          await audit.add(result.organizationId, {
            action: 'signed_in',
            kind: 'session',
            ids: [result.session._id],
            principal: { kind: 'operator', id: result.session.operatorId },
            ...(endedSessions.length > 0 && {
              changes: [{ field: 'endedSessions', value: endedSessions.slice(0, MAX_AUDITED_IDS) }],
            }),
            address,
            requestId: request.id,
            result: 'ok',
          });
          return result.session;
        }
        if (result.outcome === 'suspended') return 'suspended' as const;
        // This runs after the response, or after the caller has disconnected.
        finished(reply.raw, () => {
          if (result.outcome === 'refused') count(request, result.organizationId, result.operatorId, network);
          else request.log.info('sign-in with an unknown e-mail address refused');
        });
        return undefined;
      },
    );
    if (session === undefined) throw new Refusal('Unauthorized', 'Wrong e-mail or password.');
    if (session === 'suspended') throw suspended();
    return session;
  };
};
