import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { CONNECTION_SCOPE, clock, fromMachineTime } from '@chairside/domain';
import { acceptedSecrets, RETRY_AFTER } from '@chairside/http-server';
import type { AuthorizationServer } from './authorization-server.ts';
import type { AuthorizationMetrics } from './metrics.ts';
import { stored } from './unavailable.ts';

/** The largest request body, in bytes. An access token has 43 characters. */
const MAX_BYTES = 4096;
/** The name of a tool of the connector. It becomes the name of a field. */
const TOOL_NAME = /^[a-z][a-z_]{0,63}$/;
/** How long an idle connection of the connector stays open. */
const KEEP_ALIVE_MS = 72_000;

/** The response of RFC 7662 for a token that is valid now. */
type ActiveToken = {
  active: true;
  scope: string;
  client_id: string;
  sub: string;
  iss: string;
  aud: string;
  iat: number;
  exp: number;
  token_type: 'Bearer';
  organization_id: string;
  grant_id: string;
  /** Whether the operator of the service has suspended the organization. The connector refuses its requests. */
  suspended: boolean;
};
type Introspected = ActiveToken | { active: false };

const INACTIVE = { active: false } as const;

/**
 * Checks a token against the current state of its grant and its operator. A grant that is no longer valid is ended.
 *
 * @param value an access token, or any other text
 * @param tool the tool of the connector that the app has called, if it has called one
 * @throws if the database is unreachable
 */
const introspect = async (
  { provider, store: { grants }, endGrant, publicUrl, mcpUrl }: AuthorizationServer,
  value: string,
  tool: string | undefined,
): Promise<Introspected> => {
  const token = await provider.AccessToken.find(value);
  const organizationId = token?.extra?.organization_id;
  if (token?.grantId === undefined || typeof organizationId !== 'string' || token.aud !== mcpUrl)
    return INACTIVE;
  const { grantId, accountId, clientId = '', scope = '', iat, exp = 0 } = token;
  const now = clock.now();
  const standing = await stored(grants.standing(grantId, now, { organizationId, id: accountId }));
  if (standing.state !== 'live') {
    await endGrant(grantId, standing.state === 'missing' ? 'remains' : 'operator');
    return INACTIVE;
  }
  const { connection, isSuspended } = standing;
  if (connection.organizationId !== organizationId || !scope.split(' ').includes(CONNECTION_SCOPE))
    return INACTIVE;
  await stored(grants.use(connection, now, tool));
  return {
    active: true,
    scope: CONNECTION_SCOPE,
    client_id: clientId,
    sub: accountId,
    iss: publicUrl,
    aud: mcpUrl,
    iat: fromMachineTime(iat),
    exp: fromMachineTime(exp),
    token_type: 'Bearer',
    organization_id: organizationId,
    grant_id: grantId,
    suspended: isSuspended,
  };
};

/** Closes the server after the requests in flight. Idle connections of the connector are closed at once. */
export const closeIntrospection = async (server: Server): Promise<void> => {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  await closed;
};

const authenticator = (secrets: readonly string[]) => {
  const isAccepted = acceptedSecrets(secrets.map((secret) => `connector:${secret}`));
  return ({ headers }: IncomingMessage): boolean => {
    const [, given = ''] = /^basic ([a-z\d+/=]{1,1000})$/i.exec(headers.authorization ?? '') ?? [];
    return isAccepted(Buffer.from(given, 'base64').toString());
  };
};

/** The fields of a form; undefined if the body is too large. */
const readForm = async (request: IncomingMessage): Promise<URLSearchParams | undefined> => {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    size += part.length;
    if (size > MAX_BYTES) return undefined;
    parts.push(part);
  }
  return new URLSearchParams(Buffer.concat(parts).toString());
};

type Log = { warn(fields: object, message: string): void; error(fields: object, message: string): void };
type Options = {
  /** The accepted secrets of the connector. */
  secrets: readonly string[];
  metrics: Pick<AuthorizationMetrics, 'introspected'>;
  log: Log;
};
type Reply = { status: number; body: object; headers?: Record<string, string> };

/** Returns the function that responds to a request. It throws if the database is unreachable. */
const responder = (oauth: AuthorizationServer, { secrets, metrics, log }: Options) => {
  const isConnector = authenticator(secrets);
  const refusal = (status: number, error: string, headers: Record<string, string> = {}): Reply => ({
    status,
    body: { error },
    headers,
  });
  return async (request: IncomingMessage): Promise<Reply> => {
    if (request.url !== '/introspect') return refusal(404, 'not_found');
    if (request.method !== 'POST') return refusal(405, 'invalid_request', { allow: 'POST' });
    if (!isConnector(request)) {
      metrics.introspected('refused');
      log.warn(
        {},
        "introspection refused: the connector's INTROSPECTION_SECRET differs from the one of this dashboard",
      );
      const challenge = { 'www-authenticate': 'Basic realm="introspection"', connection: 'close' };
      return refusal(401, 'invalid_client', challenge);
    }
    const form = await readForm(request);
    if (form === undefined) return refusal(413, 'invalid_request', { connection: 'close' });
    const [token, tool] = [form.get('token') ?? '', form.get('tool') ?? undefined];
    if (token === '' || (tool !== undefined && !TOOL_NAME.test(tool))) return refusal(400, 'invalid_request');
    const body = await introspect(oauth, token, tool);
    metrics.introspected(body.active ? 'active' : 'inactive');
    return { status: 200, body };
  };
};

/** A server with only one route, `POST /introspect` for the connector (RFC 7662). Its port is not public. */
export const createIntrospectionServer = (oauth: AuthorizationServer, options: Options): Server => {
  const { metrics, log } = options;
  const respond = responder(oauth, options);

  const send = (response: ServerResponse, { status, body, headers = {} }: Reply): void => {
    const text = JSON.stringify(body);
    response
      .writeHead(status, {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(text)),
        'cache-control': 'no-store',
        // Without this header, the connection would stay open while the server closes.
        ...(!server.listening && { connection: 'close' }),
        ...headers,
      })
      .end(text);
  };

  const server = createServer((request, response) => {
    const decide = async () => send(response, await respond(request));
    decide().catch((error: unknown) => {
      if (response.headersSent || response.destroyed) return response.destroy();
      metrics.introspected('failed');
      log.error({ err: error }, 'introspection failed');
      // The status of a failure is not 401. After a 401, clients would ask people to sign in again.
      const body = { error: 'temporarily_unavailable' };
      send(response, { status: 503, body, headers: { 'retry-after': String(RETRY_AFTER) } });
    });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return server;
};
