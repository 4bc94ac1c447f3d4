import { createPractice } from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from './api.ts';

const [OLD, NEW] = ['old-secret-of-the-dashboard-0123456789', 'new-secret-of-the-dashboard-0123456789'];
const ADDRESS = '203.0.113.9';

let api: TestApi;
beforeAll(async () => {
  // The connection comes from 127.0.0.1, which is not a trusted proxy.
  api = await openTestApi([], [], { proxySecrets: [NEW, OLD] });
});
afterAll(() => api.close());

const signIn = (headers: Record<string, string>, { administrator } = api.practice) =>
  api.call('POST', '/api/sessions', {
    as: '',
    headers,
    body: { email: administrator.email, password: administrator.password },
  });
const forwarded = (address: string, secret = NEW) => ({
  'x-proxy-secret': secret,
  'x-forwarded-for': address,
});

describe('a request with X-Proxy-Secret', () => {
  test.each([OLD, NEW])('is counted and audited under the forwarded address', async (secret) => {
    const { status, json } = await signIn(forwarded(ADDRESS, secret));
    expect({ status, address: json.address }).toEqual({ status: 200, address: ADDRESS });
    const as = token(json.token);
    const { json: confirmed } = await api.call('GET', `/api/auditentries?recordId=${json._id}`, { as });
    expect(confirmed).toMatchObject([{ action: 'signed_in', address: ADDRESS }]);
    expect((await signIn(forwarded('2001:db8::7', secret))).json.address).toBe('2001:db8::7');
  });

  test('gets the ids of the organization and the operator, which no other caller gets', async () => {
    const { administrator, organizationId } = api.practice;
    const as = token(administrator.token);
    const principalOf = async (headers: Record<string, string>) =>
      (await api.call('GET', '/api/sessions/current', { as, headers })).headers.get('x-principal');
    expect(await principalOf(forwarded(ADDRESS))).toBe(`${organizationId} ${administrator._id}`);
    expect(await principalOf({})).toBeNull();
  });

  test('is limited by the address of the person, not of the dashboard', async () => {
    const guess = (address: string) =>
      api.call('POST', '/api/sessions', {
        as: '',
        headers: forwarded(address),
        body: { email: api.stranger.staff.email, password: 'wrong' },
      });
    for (let index = 0; index < 5; index++) expect((await guess('198.51.100.1')).status).toBe(401);
    expect((await guess('198.51.100.1')).status).toBe(429);
    expect((await guess('198.51.100.2')).status).toBe(401);
  });

  const newPassword = 'another long password';
  test.each([
    ['POST', '/api/sessions/current/confirm', {}],
    ['PUT', '/api/sessions/current/password', { newPassword }],
    ['POST', '/api/apikeys/unknown/reveal', {}],
  ])('%s %s counts wrong passwords by the address of the person', async (method, path, body) => {
    const { administrator } = await createPractice(api.store);
    const enter = (address: string, password: string) =>
      api.call(method, path, {
        as: token(administrator.token),
        headers: forwarded(address),
        body: { ...body, password },
      });
    for (let index = 0; index < 5; index++) expect((await enter('198.51.100.1', 'wrong')).status).toBe(403);
    expect((await enter('198.51.100.1', administrator.password)).status).toBe(429);
    expect((await enter('198.51.100.2', administrator.password)).status).toBeOneOf([200, 404]);
  });

  test('without X-Forwarded-For comes from the address of the connection', async () => {
    expect((await signIn({ 'x-proxy-secret': NEW })).json.address).toBe('127.0.0.1');
  });

  test.each([
    ['203.0.113.9:80', '203.0.113.9'],
    ['[2001:db8::9]:80', '2001:db8::9'],
  ])('with X-Forwarded-For: %s comes from %s', async (sent, address) => {
    expect((await signIn(forwarded(sent))).json.address).toBe(address);
  });

  test.each(['203.0.113.9, 198.51.100.1', 'unknown', '', '203.0.113.9:x'])(
    'is refused with X-Forwarded-For: %s',
    async (address) => {
      const { status, json } = await signIn(forwarded(address));
      expect({ status, name: json.name }).toEqual({ status: 400, name: 'BadRequest' });
      expect(json.message).toContain('exactly one IP address');
    },
  );

  test.each(['x', `${NEW}x`, NEW.slice(1), `${NEW}, ${NEW}`, `${NEW},${OLD}`])(
    'is refused with the wrong secret %s, before the credentials are checked',
    async (secret) => {
      for (const [path, as] of [
        ['/api/clinics', 'Token nonsense'],
        ['/health/ready', ''],
      ] as const) {
        const headers = forwarded(ADDRESS, secret);
        const { status, json } = await api.call('GET', path, { as, headers });
        expect({ path, status, name: json.name }).toEqual({ path, status: 403, name: 'Forbidden' });
        expect(json.details.wrongProxySecret).toBe(true);
        expect(json.message).toContain('PROXY_SECRET');
      }
    },
  );

  test('lets the dashboard check its secret', async () => {
    expect(
      (await api.call('GET', '/health/ready', { as: '', headers: { 'x-proxy-secret': OLD } })).status,
    ).toBe(200);
  });

  test('leaves no secret in the log', () => {
    expect(api.logs.length).toBeGreaterThan(5);
    for (const secret of [OLD, NEW]) expect(api.logs.join()).not.toContain(secret.slice(0, 20));
  });
});

test('a request without X-Proxy-Secret has the address of its connection', async () => {
  expect((await signIn({ 'x-forwarded-for': ADDRESS })).json.address).toBe('127.0.0.1');
});

test('an api without PROXY_SECRET refuses every secret; one without DASHBOARD_URL has no dashboard', async () => {
  const other = await openTestApi(['127.0.0.1'], [], { dashboardUrl: null });
  const headers = { 'x-proxy-secret': NEW };
  expect((await other.call('GET', '/health/ready', { as: '', headers })).status).toBe(403);
  const missing = await other.call('GET', '/dashboard', { as: '' });
  expect({ status: missing.status, name: missing.json.name }).toEqual({ status: 404, name: 'NotFound' });
  await other.close();
  const found = await api.call('GET', '/dashboard', { as: '' });
  expect({ status: found.status, location: found.headers.get('location') }).toEqual({
    status: 302,
    location: 'https://dashboard.example.com/',
  });
});
