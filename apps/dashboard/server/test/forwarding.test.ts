import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Dashboard, openDashboard, SECRET, TOKEN } from './dashboard.ts';

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await openDashboard();
});
afterAll(() => dashboard.close());
afterEach(() => {
  dashboard.received.length = 0;
  dashboard.lines.length = 0;
  dashboard.respond = (_received, response) => void response.end('{}');
  dashboard.early = () => false;
});

const inject = (method: 'GET' | 'POST', url: string, headers = {}, payload?: string) =>
  dashboard.app.inject({
    method,
    url,
    headers: { ...dashboard.signedIn, ...headers },
    ...(payload && { payload }),
  });

test('sends the token of the cookie and the address of the person, and nothing that the caller claims', async () => {
  dashboard.respond = (_received, response) =>
    void response
      .writeHead(200, {
        'content-type': 'application/json',
        etag: '"1"',
        'x-next-cursor': 'c',
        'set-cookie': 'stolen=1',
        'www-authenticate': 'Basic',
        'content-security-policy': "default-src 'unsafe-inline'",
        'access-control-allow-origin': '*',
      })
      .end('{"ok":true}');
  const response = await inject('GET', '/api/patients?name=Ada', {
    authorization: 'Basic c3RvbGVu',
    'x-forwarded-for': '6.6.6.6',
    'x-forwarded-host': 'evil.example',
    forwarded: 'for=6.6.6.6',
    'x-proxy-secret': 'guess',
    'if-none-match': '"1"',
    'x-background': '1',
    'user-agent': 'Browser',
  });
  expect(response.statusCode).toBe(200);
  expect(response.json()).toEqual({ ok: true });
  const [{ url, headers }] = dashboard.received as [(typeof dashboard.received)[0]];
  expect(url).toBe('/api/patients?name=Ada');
  expect(headers).toMatchObject({
    authorization: `Token ${TOKEN}`,
    'x-forwarded-for': '127.0.0.1',
    'x-proxy-secret': SECRET,
    'if-none-match': '"1"',
    'x-background': '1',
    'user-agent': 'Browser',
  });
  expect(Object.keys(headers).toSorted()).toEqual([
    'authorization',
    'connection',
    'host',
    'if-none-match',
    'user-agent',
    'x-background',
    'x-forwarded-for',
    'x-proxy-secret',
  ]);
  expect(response.headers).toMatchObject({ etag: '"1"', 'x-next-cursor': 'c' });
  expect(response.headers).not.toHaveProperty('set-cookie');
  expect(response.headers).not.toHaveProperty('www-authenticate');
  expect(response.headers).not.toHaveProperty('access-control-allow-origin');
  expect(response.headers['content-security-policy']).toContain("default-src 'none'");
  expect(response.headers['cache-control']).toBe('no-store');
  expect(dashboard.lines.join('')).not.toMatch(/Ada|chairside_token|xxxxx/);
});

test('forwards a search for patients from its own pages only, and logs nothing of its body', async () => {
  dashboard.respond = (_received, response) =>
    void response.writeHead(200, { 'content-type': 'application/json', 'x-next-cursor': 'c' }).end('[]');
  const body = JSON.stringify({ name: 'Ada Beispiel', limit: 50 });
  const type = { 'content-type': 'application/json' };
  const response = await inject('POST', '/api/patients/search', type, body);
  expect(response.statusCode).toBe(200);
  expect(response.headers).toMatchObject({ 'x-next-cursor': 'c', 'cache-control': 'no-store' });
  expect(dashboard.received).toMatchObject([{ method: 'POST', url: '/api/patients/search', body }]);
  for (const foreign of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
    expect((await inject('POST', '/api/patients/search', { ...type, ...foreign }, body)).statusCode).toBe(
      403,
    );
  expect(dashboard.received).toHaveLength(1);
  expect(dashboard.lines.join('')).not.toContain('Ada');
});

test('forwards a body unchanged, and the status and the message of a refusal', async () => {
  dashboard.respond = (_received, response) =>
    void response
      .writeHead(429, { 'retry-after': '7', 'content-type': 'application/json' })
      .end('{"name":"x"}');
  const body = '{"name" : "Grüße"}';
  const response = await inject('POST', '/api/patients', { 'content-type': 'application/json' }, body);
  expect(dashboard.received[0]).toMatchObject({ method: 'POST', body });
  expect(response.statusCode).toBe(429);
  expect(response.headers['retry-after']).toBe('7');
  expect(response.json()).toEqual({ name: 'x' });
});

test.each(['/api/sessions', '/api/SESSIONS'])('does not forward a sign-in: POST %s', async (path) => {
  const response = await inject('POST', path, { 'content-type': 'application/json' }, '{}');
  expect(response.statusCode).toBe(403);
  expect(dashboard.received).toEqual([]);
});

test.each([
  '/api/%73essions',
  '/api//sessions',
  '/api/./sessions',
  '/api/x/../sessions',
  '/api/x/%2e%2e/sessions',
  '/api/sessions/',
  '/api/sessions%2f',
  '/api/sessions;a=b',
  '/api/\\sessions',
  '/api/http://evil.example/',
  '/api/sessions%00',
])('refuses another spelling of a path: POST %s', async (path) => {
  // The request is sent over the network, because `inject` would resolve the dots.
  const call = request(dashboard.address, { method: 'POST', path, headers: dashboard.signedIn }).end('{}');
  const [response] = await once(call, 'response');
  expect(response.resume().statusCode).toBe(404);
  expect(dashboard.received).toEqual([]);
});

test('responds with 401 without a cookie, or with one that is no token, and sends no request to the api', async () => {
  const { host, origin } = dashboard.signedIn as { host: string; origin: string };
  for (const cookie of ['', 'chairside=', 'chairside=a b', 'chairside=a%0d%0ax: y', 'other=1']) {
    const headers = { host, origin, cookie };
    const response = await dashboard.app.inject({ method: 'GET', url: '/api/clinics', headers });
    expect(response.statusCode).toBe(401);
    expect(response.headers).not.toHaveProperty('www-authenticate');
  }
  expect(dashboard.received).toEqual([]);
});

test('removes the cookie of a session that has ended', async () => {
  dashboard.respond = (_received, response) => void response.writeHead(401).end('{}');
  const response = await inject('GET', '/api/clinics');
  expect(response.statusCode).toBe(401);
  expect(response.headers['set-cookie']).toMatch(/^chairside=; .*Expires=Thu, 01 Jan 1970/);
});

test('keeps the cookie after a wrong answer of an operator with a factor', async () => {
  const refusal = JSON.stringify({ details: { requiredSecondFactor: ['code'] } });
  dashboard.respond = (_received, response) => void response.writeHead(401).end(refusal);
  const response = await inject('GET', '/api/clinics');
  expect([response.statusCode, response.body]).toEqual([401, refusal]);
  expect(response.headers).not.toHaveProperty('set-cookie');
});

test('does not repeat a request that the api refuses with 503', async () => {
  dashboard.respond = (_received, response) => void response.writeHead(503, { 'retry-after': '1' }).end('{}');
  expect((await inject('GET', '/api/clinics')).statusCode).toBe(503);
  expect(dashboard.received).toHaveLength(1);
});

test('a refused secret is the fault of the service, not of the person', async () => {
  const refuse = (details: object) => {
    const body = JSON.stringify({ name: 'Forbidden', message: 'No.', details });
    dashboard.respond = (_received, response) =>
      void response.writeHead(403, { 'content-type': 'application/json', etag: '"1"' }).end(body);
    return body;
  };
  refuse({ wrongProxySecret: true });
  for (const [method, url, payload] of [
    ['GET', '/api/clinics'],
    ['GET', '/session'],
    ['POST', '/session', '{}'],
  ] as const) {
    const response = await inject(method, url, { 'content-type': 'application/json' }, payload);
    expect(response.statusCode).toBe(503);
    expect(response.headers).not.toHaveProperty('etag');
    expect(response.json()).toMatchObject({ name: 'ServiceUnavailable' });
    expect(response.body).not.toContain('roxy');
  }
  expect(dashboard.lines.filter((line) => line.includes('ProxySecretRefused'))).toHaveLength(3);
  const body = refuse({ requiredConfirmation: 'password' });
  const confirmation = await inject('GET', '/api/clinics');
  expect([confirmation.statusCode, confirmation.body]).toEqual([403, body]);
});

test('forwards a query byte by byte, whatever it contains', async () => {
  for (const query of ['name=%zz', 'name=../x', 'name=%2e%2e/x', 'name=a%00b', 'name=%E4', 'a=b?c']) {
    const path = `/api/patients?${query}`;
    const call = request(dashboard.address, { path, headers: dashboard.signedIn }).end();
    const [response] = await once(call, 'response');
    expect({ query, status: response.resume().statusCode }).toEqual({ query, status: 200 });
    expect(dashboard.received.at(-1)?.url).toBe(path);
  }
});

test('an undecodable path gets a response with a request id and the headers for browsers', async () => {
  const call = request(dashboard.address, { path: '/api/%zz', headers: dashboard.signedIn }).end();
  const [response] = await once(call, 'response');
  expect(response.statusCode).toBe(404);
  expect(response.headers).toMatchObject({
    'x-request-id': expect.any(String),
    'x-content-type-options': 'nosniff',
  });
  expect(await text(response)).not.toContain('%zz');
});

test('responds with 503 while the api is unreachable', async () => {
  const unreachable = await openDashboard();
  unreachable.api.closeAllConnections();
  unreachable.api.close();
  const response = await unreachable.app.inject({
    method: 'GET',
    url: '/api/clinics',
    headers: unreachable.signedIn,
  });
  expect(response.statusCode).toBe(503);
  expect(response.json()).toMatchObject({
    name: 'ServiceUnavailable',
    details: { requestId: expect.any(String) },
  });
  expect(response.headers['retry-after']).toBe('2');
  const ready = await unreachable.app.inject({ method: 'GET', url: '/health/ready' });
  expect(ready.statusCode).toBe(503);
  expect(ready.json()).toMatchObject({ problem: 'The api does not respond.' });
  await unreachable.close();
});

test('is not ready while the api refuses the secret', async () => {
  dashboard.respond = (_received, response) => void response.writeHead(403).end('{}');
  const ready = await dashboard.app.inject({ method: 'GET', url: '/health/ready' });
  expect(ready.statusCode).toBe(503);
  expect(ready.json().problem).toContain('PROXY_SECRET');
  dashboard.respond = (_received, response) => void response.end('{}');
  expect((await dashboard.app.inject({ method: 'GET', url: '/health/ready' })).statusCode).toBe(200);
});
