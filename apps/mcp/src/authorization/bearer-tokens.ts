import { CONNECTION_SCOPE } from '@chairside/domain';
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
import { IntrospectionFailed, type LiveToken } from '../introspection.ts';
import { metadataUrl } from './resource-metadata.ts';

/** The form of a bearer token (RFC 6750, section 2.1). Anything else is refused without asking the dashboard. */
const TOKEN = /^[\w.~+/-]{1,512}=*$/;

const invalidToken = (): OAuthError =>
  new OAuthError(
    OAuthErrorCode.InvalidToken,
    'The access token is not valid. It has expired, or the connection has ended. Connect again.',
  );

/** The organization and the grant of a checked token. */
const grantOf = ({ organization_id, grant_id }: LiveToken): Grant => ({
  organizationId: organization_id,
  grantId: grant_id,
});

const send = async (reply: FastifyReply, response: Response): Promise<FastifyReply> =>
  reply
    .status(response.status)
    .headers(Object.fromEntries(response.headers))
    .send(await response.text());

/**
 * Requires an access token for this connector. The authorization server checks the token again for each request.
 * Without a valid token the response is 401, without the scope it is 403. Both responses contain the address of the
 * metadata (RFC 9728, section 5.1). Sets `authInfo` and `grant` of the request.
 */
export const requireAccessToken = ({
  config: { MCP_URL, AUTHORIZATION_SERVER_URL },
  introspection,
  metrics,
  tracer,
}: Pick<Dependencies, 'config' | 'introspection' | 'metrics' | 'tracer'>): onRequestAsyncHookHandler => {
  const resource = new URL(MCP_URL);
  const challenge = { requiredScopes: [CONNECTION_SCOPE], resourceMetadataUrl: metadataUrl(MCP_URL) };

  const introspect = async (token: string): Promise<LiveToken> => {
    if (!TOKEN.test(token)) throw invalidToken();
    const span = tracer?.startPart('introspect', 'client', {});
    const state = await introspection.introspect(token).finally(() => span?.end());
    if (!state.active || state.iss !== AUTHORIZATION_SERVER_URL) throw invalidToken();
    return state;
  };

  const verifierOf = (request: FastifyRequest) => ({
    async verifyAccessToken(token: string): Promise<AuthInfo> {
      const live = await introspect(token);
      request.grant = grantOf(live);
      return {
        // The protocol handler does not need the token, so it does not receive it.
        token: '',
        clientId: live.client_id,
        scopes: live.scope.split(' '),
        expiresAt: live.exp,
        // Audiences are compared byte for byte. Without a resource, the token is refused.
        ...([live.aud].flat().includes(MCP_URL) && { resource }),
        extra: { request },
      };
    },
  });

  return async (request, reply) => {
    const options = { ...challenge, verifier: verifierOf(request), expectedResource: resource };
    try {
      request.authInfo = await verifyBearerToken(request.headers.authorization, options);
    } catch (error) {
      request.grant = null;
      if (error instanceof OAuthError) return send(reply, bearerAuthChallengeResponse(error, challenge));
      if (!(error instanceof IntrospectionFailed)) throw error;
      metrics.introspectionFailed();
      // A 401 would be wrong: the client would discard its token and ask the person to sign in again.
      throw serviceUnavailable('The access token cannot be checked. Try again later.', error);
    }
  };
};
