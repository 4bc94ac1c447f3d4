import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** The claims of a valid token in the response of the introspection endpoint (RFC 7662, section 2.2). */
export type Claims = Record<string, unknown>;

/** An introspection endpoint that behaves like the dashboard's endpoint, until a test sets `fault`. */
export type AuthorizationServer = {
  server: Server;
  introspectionUrl: string;
  secret: string;
  /** Issues an access token for the connector. `undefined` removes a claim. */
  issue(claims: Claims): string;
  revoke(token: string): void;
  /** Responds to requests in place of the endpoint. */
  fault: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  /** Returns a promise for a token whose introspection waits until the promise resolves. */
  hold: ((token: string) => Promise<void> | undefined) | undefined;
  /** The tokens that were introspected, in order. */
  asked: string[];
  /** The calls of tools that were reported, in order. */
  reported: { token: string; tool: string }[];
  /** Refuses reports. */
  isDeaf: boolean;
  close(): Promise<void>;
};

const json = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/**
 * @param audience the address of the connector
 * @param issuer the authorization server
 */
export const startAuthorizationServer = async (
  audience: string,
  issuer: string,
): Promise<AuthorizationServer> => {
  const live = new Map<string, Claims>();
  const secret = randomBytes(24).toString('base64url');
  const credentials = `Basic ${Buffer.from(`connector:${secret}`).toString('base64')}`;
  const server = createServer(async (request, response) => {
    if (self.fault !== undefined) return self.fault(request, response);
    if (request.method !== 'POST' || request.url !== '/introspect') return json(response, 404, {});
    if (request.headers.authorization !== credentials)
      return json(response, 401, { error: 'invalid_client' });
    const form = new URLSearchParams(await text(request));
    const [token, tool] = [form.get('token') ?? '', form.get('tool')];
    if (tool === null) self.asked.push(token);
    else if (self.isDeaf) return json(response, 503, {});
    else self.reported.push({ token, tool });
    await self.hold?.(token);
    const claims = live.get(token);
    return json(response, 200, claims === undefined ? { active: false } : { active: true, ...claims });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const self: AuthorizationServer = {
    server,
    introspectionUrl: `http://127.0.0.1:${port}/introspect`,
    secret,
    fault: undefined,
    hold: undefined,
    asked: [],
    reported: [],
    isDeaf: false,
    issue(claims) {
      const token = randomBytes(32).toString('base64url');
      const now = Math.floor(Date.now() / 1000);
      live.set(token, {
        scope: 'clinic:read',
        client_id: 'https://assistant.example/client.json',
        sub: 'operator',
        iss: issuer,
        aud: audience,
        iat: now,
        exp: now + 600,
        token_type: 'Bearer',
        grant_id: randomBytes(8).toString('hex'),
        suspended: false,
        ...claims,
      });
      return token;
    },
    revoke: (token) => void live.delete(token),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return self;
};
