import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, test } from 'vitest';
import { MAX_BODY_BYTES } from '../src/http/error-handler.ts';
import { type Connector, ISSUER, MCP_URL, openConnector, type Reply, unreadSchedule } from './connector.ts';

/* Tests who may call the connector, and how it refuses other callers. */
let connector: Connector;

beforeAll(async () => {
  connector = await openConnector({ schedule: unreadSchedule() });
});
afterAll(() => connector.close());
afterEach(() => {
  connector.authorization.fault = undefined;
});

const METADATA_URL = 'http://127.0.0.1:3007/.well-known/oauth-protected-resource/mcp';
const issue = (claims: object = {}): string =>
  connector.authorization.issue({ organization_id: 'organization', ...claims });
const list = (token?: string): Promise<Reply> =>
  connector.message('tools/list', {}, token === undefined ? {} : { token });
const post = (token: string, body: string, headers: Record<string, string> = {}): Promise<Reply> =>
  connector.send(
    'POST',
    { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body,
  );
const challengeOf = ({ headers }: Reply): string => headers.get('www-authenticate') ?? '';

describe('a request without a usable access token', () => {
  const seconds = Math.floor(Date.now() / 1000);
  const unusable: readonly (readonly [string, object])[] = [
    ['of another resource', { aud: 'http://127.0.0.1:3007/other' }],
    ['of the same address with a slash at the end', { aud: `${MCP_URL}/` }],
    ['of several other resources', { aud: ['https://a.example', 'https://b.example'] }],
    ['of another authorization server', { iss: 'https://dashboard.example' }],
    ['that has expired', { exp: seconds - 1 }],
  ];

  it.each(unusable)('gets 401 with a token %s', async (_name, claims) => {
    const reply = await list(issue(claims));
    expect(reply.status).toBe(401);
    expect(challengeOf(reply)).toContain('error="invalid_token"');
  });

  it('gets 401 with the metadata and the scope, without a request to the authorization server', async () => {
    const asked = connector.authorization.asked.length;
    const forms = [undefined, 'Basic YTpi', 'Bearer', 'Bearer ', 'Bearer a"b', `Bearer ${'x'.repeat(2000)}`];
    for (const authorization of forms) {
      const reply = await connector.send('POST', authorization === undefined ? {} : { authorization }, '');
      expect(reply.status).toBe(401);
      expect(challengeOf(reply)).toMatch(/^Bearer /);
      expect(challengeOf(reply)).toContain(`resource_metadata="${METADATA_URL}"`);
      expect(challengeOf(reply)).toContain('scope="clinic:read"');
      expect(reply.headers.get('cache-control')).toBe('no-store');
    }
    expect(connector.authorization.asked).toHaveLength(asked);
  });

  it('gets 401 for any method, so that every client finds the authorization server', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'OPTIONS'])
      expect((await connector.send(method, {})).status).toBe(401);
  });

  it('gets 403 without the scope', async () => {
    for (const scope of ['', 'clinic:write', 'clinic:readx openid']) {
      const reply = await list(issue({ scope }));
      expect(reply.status).toBe(403);
      expect(challengeOf(reply)).toContain('error="insufficient_scope"');
      expect(challengeOf(reply)).toContain(`resource_metadata="${METADATA_URL}"`);
    }
  });
});

test('accepts a token with several audiences and scopes, one of which is that of the connector', async () => {
  expect(
    (await list(issue({ aud: ['https://a.example', MCP_URL], scope: 'openid clinic:read' }))).status,
  ).toBe(200);
});

test('a grant that has ended is refused with the next request', async () => {
  const token = issue();
  expect((await list(token)).status).toBe(200);
  connector.authorization.revoke(token);
  expect((await list(token)).status).toBe(401);
});

describe('an authorization server that', () => {
  const json = (status: number, body: unknown) => (_request: unknown, response: any) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const live = { active: true, scope: 'clinic:read', aud: MCP_URL, iss: ISSUER, exp: 9_999_999_999 };
  const faults: readonly (readonly [string, NonNullable<Connector['authorization']['fault']>])[] = [
    ['has no database', json(503, {})],
    ['refuses our secret', json(401, { error: 'invalid_client' })],
    ['redirects', (_request, response) => response.writeHead(302, { location: 'https://a.example' }).end()],
    [
      'says nothing about the organization',
      json(200, { ...live, client_id: 'c', token_type: 'Bearer', grant_id: 'g', suspended: false }),
    ],
    ['says nothing', json(200, {})],
    ['says that a token is active in another way', json(200, { ...live, active: 'true' })],
    ['responds with a page', (_request, response) => response.end('<html>')],
    ['responds with a megabyte', (_request, response) => response.end(`"${'x'.repeat(2 ** 20)}"`)],
    ['closes the connection', ({ socket }) => socket.destroy()],
  ];

  const expectUnavailable = (reply: Reply): void => {
    expect({ status: reply.status, retryAfter: reply.headers.get('retry-after') }).toEqual({
      status: 503,
      retryAfter: '2',
    });
    expect(challengeOf(reply)).toBe('');
    expect(JSON.parse(reply.text).error).toMatchObject({
      message: 'The access token cannot be checked. Try again later.',
      data: { requestId: expect.any(String) },
    });
  };

  it.each(faults)('%s makes the response 503, never 401', async (_name, fault) => {
    connector.authorization.fault = fault;
    expectUnavailable(await list(issue()));
  });

  it('is silent makes the response 503, never 401', async () => {
    const impatient = await openConnector({ schedule: unreadSchedule(), timeout: 100 });
    onTestFinished(() => impatient.close());
    impatient.authorization.fault = () => {};
    const token = impatient.authorization.issue({ organization_id: 'organization' });
    expectUnavailable(await impatient.message('tools/list', {}, { token }));
  });

  it('closes idle connections fails no request', async () => {
    expect((await list(issue())).status).toBe(200);
    connector.authorization.server.closeAllConnections();
    expect((await list(issue())).status).toBe(200);
  });

  it('is unreachable makes the connector not ready, and the reason is in the response', async () => {
    connector.authorization.fault = json(401, {});
    const response = await fetch(`${connector.address}/health/ready`);
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({
      status: 'unavailable',
      problem: 'The dashboard refuses INTROSPECTION_SECRET. Set the same secret for both.',
    });
    expect(await connector.metrics()).toMatch(/^chairside_mcp_introspection_ready 0$/m);
    connector.authorization.fault = undefined;
    expect(await (await fetch(`${connector.address}/health/ready`)).json()).toEqual({ status: 'ok' });
    expect(await connector.metrics()).toMatch(/^chairside_mcp_introspection_ready 1$/m);
    expect((await fetch(`${connector.address}/health/live`)).status).toBe(200);
  });
});

test('every door of the connector has a route', () => {
  const served = new Set(connector.app.doorList.map(({ door }) => door));
  expect([...served].toSorted()).toEqual(['connector-messages', 'connector-public']);
});

test('the metadata name the authorization server at both well-known places, for pages of any origin', async () => {
  for (const path of ['/mcp', '']) {
    const url = `${connector.address}/.well-known/oauth-protected-resource${path}`;
    const response = await fetch(url, { headers: { origin: 'https://page.example' } });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.json()).toEqual({
      resource: MCP_URL,
      authorization_servers: [ISSUER],
      scopes_supported: ['clinic:read'],
      bearer_methods_supported: ['header'],
      resource_name: 'Chairside',
    });
  }
});

test('answers at its address with a slash at the end, too', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  };
  const send = (path: string, authorization?: string) =>
    fetch(connector.address + path, {
      method: 'POST',
      headers: { ...headers, host: new URL(MCP_URL).host, ...(authorization && { authorization }) },
      body,
    });
  for (const path of ['/mcp', '/mcp/', '/mcp/?x=1']) {
    expect((await send(path, `Bearer ${issue()}`)).status).toBe(200);
    const refused = await send(path);
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain(`resource_metadata="${METADATA_URL}"`);
  }
  for (const path of ['/mcp//', '/mcp/x', '/']) expect((await send(path)).status).toBe(404);
});

test('other methods than POST get 405 with a token', async () => {
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const reply = await connector.send(method, {
      authorization: `Bearer ${issue()}`,
      accept: 'text/event-stream',
    });
    expect({ status: reply.status, allow: reply.headers.get('allow') }).toEqual({
      status: 405,
      allow: 'POST',
    });
  }
});

/** Sends a request with headers that `fetch` does not allow, such as `Host`. Returns the status. */
const rawStatus = async (headers: Record<string, string>): Promise<number> => {
  const { hostname, port } = new URL(connector.address);
  const socket = connect(Number(port), hostname);
  const lines = Object.entries({ connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.write(`POST /mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\ncontent-length: 0\r\n\r\n`);
  const [, status] = /^HTTP\/1.1 (\d+)/.exec(await text(socket)) ?? [];
  return Number(status);
};

test('a page of another site, or one that uses DNS rebinding, is refused before its token is checked', async () => {
  const asked = connector.authorization.asked.length;
  const authorization = `Bearer ${issue()}`;
  expect(await rawStatus({ host: 'evil.example', authorization })).toBe(403);
  for (const origin of ['https://evil.example', 'null'])
    expect(await rawStatus({ host: '127.0.0.1:3007', origin, authorization })).toBe(403);
  expect(connector.authorization.asked).toHaveLength(asked);
  // The request is refused for its missing content type, not for its origin.
  expect(await rawStatus({ host: '127.0.0.1:3007', origin: 'http://127.0.0.1:3007', authorization })).toBe(
    415,
  );
});

test('refuses bodies that are too large, malformed, of another type, or batches', async () => {
  const message = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list', params: {} });
  const bodies: readonly (readonly [number, number, string, Record<string, string>?])[] = [
    [413, -32_000, JSON.stringify({ padding: 'x'.repeat(MAX_BODY_BYTES) })],
    [400, -32_700, '{"jsonrpc":'],
    [400, -32_700, '{"__proto__":{"a":1}}'],
    [400, -32_000, `[${message},${message}]`],
    [415, -32_000, message, { 'content-type': 'text/plain' }],
    [415, -32_000, message, { 'content-type': 'application/json-seq' }],
  ];
  for (const [status, code, body, headers] of bodies) {
    const reply = await post(issue(), body, headers);
    expect({ status: reply.status, ...JSON.parse(reply.text) }).toMatchObject({
      status,
      jsonrpc: '2.0',
      error: { code, message: expect.any(String) },
    });
  }
  for (const body of [
    'null',
    '1',
    '"x"',
    '{}',
    '{"jsonrpc":"2.0"}',
    `${'['.repeat(30_000)}${']'.repeat(30_000)}`,
    '{"a":'.repeat(9000) + 1 + '}'.repeat(9000),
  ])
    expect((await post(issue(), body)).status).toBe(400);
});

test('a subscription to changes is acknowledged and ends, because there are none', async () => {
  const filter = { notifications: { toolsListChanged: true } };
  const reply = await connector.message('subscriptions/listen', filter, { token: issue() });
  expect(reply.text).toContain('notifications/subscriptions/acknowledged');
  expect(reply.text).toMatch(/"id":1/);
});

test('limits the requests of each grant, and says when to try again', async () => {
  const token = issue({ grant_id: 'busy' });
  const first = await list(token);
  expect(first.headers.get('ratelimit-policy')).toBe('"grant";q=120;w=60');
  const others = await Promise.all(Array.from({ length: 119 }, () => list(token)));
  for (const { status } of others) expect(status).toBe(200);
  const refused = await list(token);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(JSON.parse(refused.text).error.message).toMatch(
    /^This connection may make at most 120 requests in 60 s\./,
  );
  // Another token of the same grant has the same counter, another grant has its own.
  expect((await list(issue({ grant_id: 'busy' }))).status).toBe(429);
  expect((await list(issue())).status).toBe(200);
});

test('while the organization is suspended, every request gets 403, and the token stays valid', async () => {
  const refused = await list(issue({ suspended: true }));
  expect(refused.status).toBe(403);
  expect(JSON.parse(refused.text).error.message).toMatch(/has suspended the access of this practice/);
});

test('a path that does not exist gets 404', async () => {
  const response = await fetch(`${connector.address}/mcp/x`);
  expect(response.status).toBe(404);
  expect(response.headers.get('x-request-id')).not.toBeNull();
});

test('the log has a line for each request, with grant and organization and without the token', async () => {
  const token = issue({ grant_id: 'logged' });
  const reply = await list(token);
  const line = connector.lines.find((each) => each.includes(reply.headers.get('x-request-id') ?? '?'));
  expect(JSON.parse(line ?? '{}')).toMatchObject({
    service: 'mcp',
    route: '/mcp',
    statusCode: 200,
    organizationId: 'organization',
    grantId: 'logged',
  });
  expect(connector.lines.join()).not.toContain(token);
});

test('reports each tool that an app has called once, and again if the dashboard did not hear of it', async () => {
  const now = () => new Date('2030-01-31T09:30:00Z');
  const asked = await openConnector({ schedule: unreadSchedule(), now });
  onTestFinished(() => asked.close());
  const { authorization } = asked;
  const token = authorization.issue({ organization_id: 'organization' });
  const calls = (tool: string, times: number) =>
    Promise.all(Array.from({ length: times }, () => asked.call(tool, {}, { token })));
  const reported = () => authorization.reported.map(({ tool }) => tool);
  await calls('list_clinics', 3);
  expect(reported()).toEqual(['list_clinics']);
  await asked.message('tools/list', {}, { token });
  await calls('no_tool', 1);
  expect(reported()).toEqual(['list_clinics']);
  authorization.isDeaf = true;
  const [unheard] = await calls('list_providers', 1);
  expect(unheard?.status).toBe(200);
  authorization.isDeaf = false;
  expect(asked.lines.join()).toContain('the call of a tool was not reported to the dashboard');
  await calls('list_providers', 2);
  expect(reported()).toEqual(['list_clinics', 'list_providers']);
});
