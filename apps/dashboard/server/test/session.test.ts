import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Dashboard, openDashboard, SECRET, TOKEN } from './dashboard.ts';

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await openDashboard('https://dashboard.example.com');
});
afterAll(() => dashboard.close());
afterEach(() => {
  dashboard.received.length = 0;
  dashboard.lines.length = 0;
});

const SESSION = { _id: 's', operatorId: 'o', role: 'administrator', email: 'ada@example.com' };
const origin = 'https://dashboard.example.com';
const host = 'dashboard.example.com';

const call = (
  method: 'GET' | 'POST' | 'DELETE',
  url: string,
  payload?: object,
  headers: Record<string, string> = { host, origin },
) => dashboard.app.inject({ method, url, headers, ...(payload && { payload }) });

const signedIn = () => dashboard.signedIn;

/** The api accepts every password but `wrong`. */
const acceptPasswords = () => {
  dashboard.respond = ({ method, url, body }, response) => {
    response.setHeader('content-type', 'application/json');
    if (method === 'POST' && body.includes('wrong'))
      return void response
        .writeHead(401)
        .end('{"name":"Unauthorized","message":"Wrong e-mail or password."}');
    response.end(JSON.stringify(url === '/api/sessions' ? { ...SESSION, token: TOKEN } : SESSION));
  };
};

test('puts the token of a sign-in into a cookie that scripts cannot read, and into no body', async () => {
  acceptPasswords();
  const response = await call('POST', '/session', { email: 'ada@example.com', password: 'right' });
  expect(response.statusCode).toBe(200);
  expect(response.json()).toEqual(SESSION);
  expect(response.headers['set-cookie']).toBe(
    `__Host-chairside=${TOKEN}; Path=/; HttpOnly; Secure; SameSite=Lax`,
  );
  expect(dashboard.received[0]?.headers).toMatchObject({
    'x-proxy-secret': SECRET,
    'x-forwarded-for': '127.0.0.1',
  });
  expect(dashboard.lines.join('')).not.toMatch(/right|ada@|chairside_token/);
});

test('counts a fault of its own, and no fault of the api', async () => {
  const faults = async () => /^chairside_dashboard_faults_total (\d+)$/m.exec(await dashboard.metrics())?.[1];
  expect(await faults()).toBe('0');
  dashboard.respond = (_received, response) => void response.writeHead(500).end('{}');
  expect((await call('POST', '/session', { email: 'ada@example.com', password: 'right' })).statusCode).toBe(
    500,
  );
  expect(await faults()).toBe('0');
  // A sign-in without a token is nothing that the dashboard expects.
  dashboard.respond = (_received, response) => void response.end(JSON.stringify(SESSION));
  expect((await call('POST', '/session', { email: 'ada@example.com', password: 'right' })).statusCode).toBe(
    500,
  );
  expect(await faults()).toBe('1');
});

test('over http on a loopback address, the cookie has another name and no Secure', async () => {
  const local = await openDashboard();
  local.respond = (_received, response) => void response.end(JSON.stringify({ ...SESSION, token: TOKEN }));
  const response = await local.app.inject({
    method: 'POST',
    url: '/session',
    headers: { host: '127.0.0.1:3004', origin: local.publicUrl },
    payload: {},
  });
  expect(response.headers['set-cookie']).toBe(`chairside=${TOKEN}; Path=/; HttpOnly; SameSite=Lax`);
  await local.close();
});

test('forwards the refusal of a sign-in, with the time to wait', async () => {
  acceptPasswords();
  const refused = await call('POST', '/session', { email: 'ada@example.com', password: 'wrong' });
  expect(refused.statusCode).toBe(401);
  expect(refused.json()).toMatchObject({ message: 'Wrong e-mail or password.' });
  expect(refused.headers).not.toHaveProperty('set-cookie');
  dashboard.respond = (_received, response) =>
    void response.writeHead(429, { 'retry-after': '42' }).end('{}');
  const limited = await call('POST', '/session', { email: 'ada@example.com', password: 'right' });
  expect([limited.statusCode, limited.headers['retry-after']]).toEqual([429, '42']);
});

test('signing in again ends the previous session', async () => {
  acceptPasswords();
  await call('POST', '/session', { email: 'a', password: 'right' }, signedIn());
  expect(dashboard.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /api/sessions',
    'DELETE /api/sessions/current',
  ]);
});

test('returns the session, and removes the cookie of a session that has ended', async () => {
  acceptPasswords();
  expect((await call('GET', '/session', undefined, signedIn())).json()).toEqual(SESSION);
  expect((await call('GET', '/session')).json()).toBeNull();
  dashboard.respond = (_received, response) => void response.writeHead(401).end('{}');
  const ended = await call('GET', '/session', undefined, signedIn());
  expect(ended.json()).toBeNull();
  expect(ended.headers['set-cookie']).toContain('Expires=Thu, 01 Jan 1970');
});

test('signing out ends the session and removes the cookie, also while the api is unreachable', async () => {
  acceptPasswords();
  const out = await call('DELETE', '/session', undefined, signedIn());
  expect(out.statusCode).toBe(204);
  expect(out.headers['set-cookie']).toContain('__Host-chairside=; ');
  expect(dashboard.received[0]).toMatchObject({ method: 'DELETE', url: '/api/sessions/current' });
  dashboard.respond = (_received, response) => void response.destroy();
  const unreachable = await call('DELETE', '/session', undefined, signedIn());
  expect(unreachable.statusCode).toBe(503);
  expect(unreachable.headers['set-cookie']).toContain('__Host-chairside=; ');
  // The cookie is removed, but the session has not ended, and the page must not claim that it has.
  dashboard.respond = (_received, response) => void response.writeHead(503, { 'retry-after': '2' }).end('{}');
  const refused = await call('DELETE', '/session', undefined, signedIn());
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '2']);
  dashboard.respond = (_received, response) => void response.writeHead(401).end('{}');
  expect((await call('DELETE', '/session', undefined, signedIn())).statusCode).toBe(204);
});

test('a replica that does not know the session forwards the choice of a first password', async () => {
  const other = await openDashboard();
  const token = `chairside_token_${'b'.repeat(43)}`;
  other.respond = ({ method }, response) => {
    response.setHeader('content-type', 'application/json').setHeader('x-principal', 'organization operator');
    if (method === 'PUT') return void response.writeHead(200).end('{}');
    response.writeHead(403).end('{"name":"Forbidden","details":{"requiredPasswordChange":true}}');
  };
  const response = await other.app.inject({
    method: 'PUT',
    url: '/api/sessions/current/password',
    headers: { ...other.signedIn, cookie: `chairside=${token}` },
    payload: {},
  });
  expect(response.statusCode).toBe(200);
  expect(other.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /api/sessions/current',
    'PUT /api/sessions/current/password',
  ]);
  await other.close();
});

test('a request that a page sends by itself does not keep the session alive', async () => {
  acceptPasswords();
  await call('GET', '/session', undefined, { ...signedIn(), 'x-background': '1' });
  expect(dashboard.received[0]?.headers).toMatchObject({ 'x-background': '1' });
  await call('GET', '/session', undefined, signedIn());
  expect(dashboard.received[1]?.headers).not.toHaveProperty('x-background');
});

test('creates another session for an access token, after the password', async () => {
  acceptPasswords();
  const wrong = await call('POST', '/session/tokens', { password: 'wrong' }, signedIn());
  expect(wrong.statusCode).toBe(403);
  const made = await call('POST', '/session/tokens', { password: 'right' }, signedIn());
  expect(made.json()).toEqual({ ...SESSION, token: TOKEN });
  expect(made.headers).not.toHaveProperty('set-cookie');
  expect(JSON.parse(dashboard.received.at(-1)?.body ?? '')).toEqual({
    email: 'ada@example.com',
    password: 'right',
  });
  expect((await call('POST', '/session/tokens', { password: 'right' })).statusCode).toBe(401);
});

test.each([
  'https://evil.example',
  'null',
  `${origin}.evil.example`,
  'http://dashboard.example.com',
  undefined,
])('refuses what a page of another origin sends: Origin %s', async (foreign) => {
  acceptPasswords();
  const headers = { ...signedIn(), ...(foreign !== undefined && { origin: foreign }) };
  if (foreign === undefined) delete (headers as Record<string, string>).origin;
  for (const [method, url] of [
    ['POST', '/session'],
    ['DELETE', '/session'],
    ['POST', '/session/tokens'],
    ['POST', '/api/patients'],
  ] as const) {
    expect((await call(method, url, {}, headers)).statusCode).toBe(403);
  }
  expect(dashboard.received).toEqual([]);
});

test('refuses calls of the api from another site, and other hosts everywhere but for health', async () => {
  acceptPasswords();
  const crossSite = await call('GET', '/api/patients', undefined, {
    ...signedIn(),
    'sec-fetch-site': 'cross-site',
  });
  expect(crossSite.statusCode).toBe(403);
  for (const url of ['/', '/session', '/api/patients', '/assets/index-1a2b.js']) {
    const other = await call('GET', url, undefined, { ...signedIn(), host: 'evil.example' });
    expect(other.statusCode).toBe(400);
    expect(other.json().message).toContain(origin);
  }
  expect(dashboard.received).toEqual([]);
  expect((await call('GET', '/health/live', undefined, { host: '10.0.0.7' })).statusCode).toBe(200);
});

test('serves pages and assets with headers that prevent the injection of scripts', async () => {
  const page = await call('GET', '/deliveries/x', undefined, { host, accept: 'text/html' });
  expect(page.statusCode).toBe(200);
  expect(page.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  });
  const policy = String(page.headers['content-security-policy']);
  expect(policy).toBe(
    "default-src 'none';script-src 'self';style-src 'self';img-src 'self';font-src 'self';connect-src 'self';manifest-src 'self';form-action 'self';frame-ancestors 'none';base-uri 'none';require-trusted-types-for 'script';trusted-types 'none'",
  );
  const asset = await call('GET', '/assets/index-1a2b.js', undefined, { host });
  expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  for (const url of [
    '/assets/missing.js',
    '/assets/../index.html',
    '/assets/%2e%2e/package.json',
    '/robots.txt/x',
  ])
    expect((await call('GET', url, undefined, { host })).statusCode).toBe(404);
});

test('serves the document of a new build, and that of the one before while the new one is written', async () => {
  const read = async () => (await call('GET', '/keys', undefined, { host, accept: 'text/html' })).body;
  const file = join(dashboard.pages, 'index.html');
  const before = await read();
  rmSync(file);
  expect(await read()).toBe(before);
  writeFileSync(file, '<!doctype html><title>Another build</title>');
  expect(await read()).toContain('Another build');
});

test('the document has the frame of the pages for signed-in operators only', async () => {
  const source = readFileSync(join(import.meta.dirname, '../../web/index.html'));
  writeFileSync(join(dashboard.pages, 'index.html'), source);
  const read = async (url: string, headers: object) =>
    (await call('GET', url, undefined, { host, accept: 'text/html', ...headers })).body;
  const frame = 'class="side"';
  expect(await read('/', signedIn())).toContain(frame);
  expect(await read('/records/patients', signedIn())).toContain(frame);
  expect(await read('/', {})).not.toContain(frame);
  expect(await read('/sign-in', signedIn())).not.toContain(frame);
  expect(await read('/', {})).toContain('id="root"');
});

test('refuses a body that is too large or not JSON, with the error body of the API', async () => {
  const large = await call('POST', '/session', { password: 'x'.repeat(20_000) });
  expect(large.statusCode).toBe(413);
  const form = await dashboard.app.inject({
    method: 'POST',
    url: '/session',
    headers: { host, origin, 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'email=a&password=b',
  });
  expect(form.statusCode).toBe(415);
  expect(form.json().name).toBe('UnsupportedMediaType');
});
