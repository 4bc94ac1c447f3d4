import { CONNECTION_SCOPE, Refusal, toMachineTime } from '@chairside/domain';
import { serviceUnavailable } from '@chairside/http-server';
import {
  type AuthInfo,
  bearerAuthChallengeResponse,
  OAuthError,
  OAuthErrorCode,
  verifyBearerToken,
} from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { Dependencies, Grant } from '../context.ts';
import { limitGrant } from '../http/rate-limit.ts';
import { IntrospectionFailed, type LiveToken } from '../introspection.ts';
import { createTokenCheck } from './checked-tokens.ts';
import { metadataUrl } from './resource-metadata.ts';

/** The form of a bearer token (RFC 6750, section 2.1). Anything else is refused without asking the dashboard. */
const TOKEN = /^[\w.~+/-]{1,512}=*$/;

const invalidToken = (): OAuthError =>
  new OAuthError(
    OAuthErrorCode.InvalidToken,
    'The access token is not valid. It has expired, or the connection has ended. Connect again.',
  );

const suspended = (): Refusal =>
  new Refusal(
    'Forbidden',
    'The operator of the service has suspended the access of this practice. Ask the operator of the service.',
    { details: { reason: 'organization_suspended' } },
  );

const send = async (reply: FastifyReply, response: Response): Promise<FastifyReply> =>
  reply
    .status(response.status)
    .headers(Object.fromEntries(response.headers))
    .send(await response.text());

/**
 * Requires an access token for this connector. The authorization server checks a valid token again for each request.
 * Without a valid token the response is 401, or 429 if the network has sent too many invalid tokens or too many requests
 * at once. Without the scope, or while the organization is suspended, it is 403. The responses with 401 and 403 contain the address of the metadata (RFC 9728,
 * section 5.1). Sets `authInfo` and `grant` of the request.
 */
export const requireAccessToken = ({
  config: { MCP_URL, AUTHORIZATION_SERVER_URL },
  introspection,
  limiter,
  metrics,
  tracer,
}: Pick<
  Dependencies,
  'config' | 'introspection' | 'limiter' | 'metrics' | 'tracer'
>): onRequestAsyncHookHandler => {
  const resource = new URL(MCP_URL);
  const challenge = { requiredScopes: [CONNECTION_SCOPE], resourceMetadataUrl: metadataUrl(MCP_URL) };

  const check = createTokenCheck({ introspection, limiter });

  const introspect = async (
    token: string,
    address: string,
    admit: (grant: Grant) => Promise<void>,
  ): Promise<LiveToken> => {
    if (!TOKEN.test(token)) throw invalidToken();
    const span = tracer?.startPart('introspect', 'client', {});
    const state = await check(token, address, admit).finally(() => span?.end());
    if (!state.active || state.iss !== AUTHORIZATION_SERVER_URL) throw invalidToken();
    if (state.suspended) throw suspended();
    return state;
  };

  const verifierOf = (request: FastifyRequest, reply: FastifyReply) => ({
    async verifyAccessToken(token: string): Promise<AuthInfo> {
      const live = await introspect(token, request.ip, (grant) => {
        request.grant = grant;
        request.work.caller = grant.organizationId;
        return limitGrant({ limiter }, grant, reply);
      });
      // The request was counted above.
      request.reportCall = (tool) => check(token, request.ip, async () => {}, tool);
      return {
        // The protocol handler does not need the token, so it does not receive it.
        token: '',
        clientId: live.client_id,
        scopes: live.scope.split(' '),
        expiresAt: toMachineTime(live.exp),
        // Audiences are compared byte for byte. Without a resource, the token is refused.
        ...([live.aud].flat().includes(MCP_URL) && { resource }),
        extra: { request },
      };
    },
  });

  return async (request, reply) => {
    const options = { ...challenge, verifier: verifierOf(request, reply), expectedResource: resource };
    try {
      request.authInfo = await verifyBearerToken(request.headers.authorization, options);
    } catch (error) {
      // `grant` stays set, because the log line of a request beyond its limit names the grant.
      if (error instanceof Refusal) throw error;
      request.grant = null;
      if (error instanceof OAuthError) return send(reply, bearerAuthChallengeResponse(error, challenge));
      if (!(error instanceof IntrospectionFailed)) throw error;
      metrics.introspectionFailed();
      // A 401 would be wrong: the client would discard its token and ask the person to sign in again.
      throw serviceUnavailable('The access token cannot be checked. Try again later.', error);
    }
  };
};
