import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type ServiceProcess, startDatabaseProxy, startProcess, testEngines } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AuthorizationServer, startAuthorizationServer } from './authorization-server.ts';
import { ISSUER, MCP_URL } from './connector.ts';

/* Tests the connector as a process, with an empty database that fails at times. */
let authorization: AuthorizationServer;
let database: Awaited<ReturnType<typeof startDatabaseProxy>>;
let connector: ServiceProcess;
let address: string;

const settings = () => ({
  PORT: '0',
  METRICS_PORT: '0',
  MCP_URL,
  AUTHORIZATION_SERVER_URL: ISSUER,
  INTROSPECTION_URL: authorization.introspectionUrl,
  INTROSPECTION_SECRET: authorization.secret,
  MONGODB_URL: database.url,
  MONGODB_TIMEOUT_MS: '300',
  REDIS_URL: testEngines().redisUrl,
  REDIS_PREFIX: `{${randomUUID()}}`,
});

beforeAll(async () => {
  authorization = await startAuthorizationServer(MCP_URL, ISSUER);
  database = await startDatabaseProxy(testEngines().mongodbUrl);
});
afterAll(async () => {
  await connector.end('SIGKILL');
  await database.close();
  await authorization.close();
});

const listClinics = (): Promise<Response> =>
  fetch(`${address}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${authorization.issue({ organization_id: 'organization' })}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { name: 'list_clinics', arguments: {} },
    }),
  });

test('waits for its database at the start, reports an unreachable one with 503, and drains at SIGTERM', async () => {
  const gone = database.inject({ matches: () => true, fault: { kind: 'cut', when: 'before' } });
  connector = startProcess('mcp', settings());
  const { msg } = await connector.logged(({ msg: text }) => /listening at/.test(text));
  address = msg.slice(msg.indexOf('http://'));
  await connector.logged(({ msg: text }) => text === 'waiting for MongoDB');
  const statusOf = async (check: string) => (await fetch(`${address}/health/${check}`)).status;
  expect([await statusOf('live'), await statusOf('ready'), (await listClinics()).status]).toEqual([
    200, 503, 503,
  ]);
  gone();
  await connector.logged(({ msg: text }) => text === 'ready');
  // A busy machine may exceed the short time limit of the database.
  await expect.poll(() => statusOf('ready')).toBe(200);
  const found = async () => (await listClinics()).text();
  await expect.poll(found).toContain('"structuredContent":{"clinics":[],"isCut":false}');

  const silent = database.inject({
    matches: (name) => name === 'find' || name === 'ping',
    fault: { kind: 'delay', until: new Promise(() => {}) },
  });
  const [refused, ready] = await Promise.all([listClinics(), fetch(`${address}/health/ready`)]);
  expect({ status: refused.status, retryAfter: refused.headers.get('retry-after') }).toEqual({
    status: 503,
    retryAfter: '2',
  });
  expect(await refused.json()).toMatchObject({
    jsonrpc: '2.0',
    id: 7,
    error: { message: 'The database is unreachable. Try again later.' },
  });
  expect(await ready.json()).toMatchObject({
    problem: 'The schedule cannot be read. The log has the reason.',
  });
  silent();

  let respond = () => {};
  const slow = new Promise<void>((resolve) => {
    respond = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    authorization.fault = async (_request, response) => {
      authorization.fault = undefined;
      resolve();
      await slow;
      response.end('{"active":false}');
    };
  });
  const inFlight = listClinics();
  await reached;
  connector.send('SIGTERM');
  await connector.logged(({ msg: text }) => text === 'stopping');
  respond();
  expect((await inFlight).status).toBe(401);
  expect(await connector.exited).toBe(0);
});

test('does not start with invalid settings or a taken port, and says why', async () => {
  const invalid = startProcess('mcp', { ...settings(), MCP_URL: 'x', INTROSPECTION_SECRET: 'short' });
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const blocked = startProcess('mcp', { ...settings(), PORT: String(port) });
  expect(await Promise.all([invalid.exited, blocked.exited])).toEqual([1, 1]);
  const said = (each: ServiceProcess) => each.lines.map(({ msg }) => msg).join('\n');
  expect(said(invalid)).toMatch(/MCP_URL must be[\s\S]*INTROSPECTION_SECRET must be/);
  expect(said(blocked)).toContain(`PORT is taken: another program listens on port ${port}`);
  taken.close();
});
