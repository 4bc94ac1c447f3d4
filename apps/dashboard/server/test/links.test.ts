import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Dashboard, openDashboard, SECRET } from './dashboard.ts';

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await openDashboard();
});
afterAll(() => dashboard.close());
afterEach(() => {
  dashboard.received.length = 0;
  dashboard.lines.length = 0;
  dashboard.respond = (_received, response) => void response.end('{}');
});

/** A browser that is signed in, but sends no cookie to these routes of the api. */
const call = (method: 'GET' | 'POST', url: string, payload?: object, headers: Record<string, string> = {}) =>
  dashboard.app.inject({
    method,
    url,
    headers: { ...dashboard.signedIn, ...headers },
    ...(payload && { payload }),
  });

test('sends the requests of links without the cookie, for the network of the person, and logs nothing of them', async () => {
  const password = 'correct horse battery';
  const calls = [
    ['GET', '/api/passwordresets', undefined],
    ['POST', '/api/passwordresets', { email: 'ada@example.com' }],
    ['POST', '/api/passwordresets/complete', { secret: 'fragment', password }],
    ['POST', '/api/invitations/complete', { secret: 'fragment', name: 'Ada Byron', password }],
  ] as const;
  for (const [method, url, body] of calls) expect((await call(method, url, body)).statusCode).toBe(200);
  expect(
    dashboard.received.map(({ method, url, body }) => [
      method,
      url,
      body === '' ? undefined : JSON.parse(body),
    ]),
  ).toEqual(calls);
  for (const { headers } of dashboard.received) {
    expect(headers).toMatchObject({ 'x-proxy-secret': SECRET, 'x-forwarded-for': '127.0.0.1' });
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).not.toHaveProperty('cookie');
  }
  expect(dashboard.lines.join('')).not.toMatch(/ada@|fragment|battery|Byron/);
});

test('a refusal keeps its status, its message and its pause', async () => {
  const body = { name: 'TooManyRequests', message: 'Too many links are tried from your network.' };
  dashboard.respond = (_received, response) =>
    void response.writeHead(429, { 'retry-after': '7' }).end(JSON.stringify(body));
  const response = await call('POST', '/api/invitations/complete', { secret: 's', password: 'p' });
  expect(response.statusCode).toBe(429);
  expect(response.headers['retry-after']).toBe('7');
  expect(response.json()).toEqual(body);
});

test('another site cannot use a link in the browser of a person, and other methods need a session', async () => {
  const foreign = await call(
    'POST',
    '/api/passwordresets',
    { email: 'a@b.example' },
    { origin: 'https://evil.example' },
  );
  expect(foreign.statusCode).toBe(403);
  const { host, origin } = dashboard.signedIn as { host: string; origin: string };
  const other = await dashboard.app.inject({
    method: 'PUT',
    url: '/api/passwordresets',
    headers: { host, origin },
    payload: {},
  });
  expect(other.statusCode).toBe(401);
  expect(dashboard.received).toEqual([]);
});
