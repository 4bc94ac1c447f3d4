import type { Browser } from '@chairside/test-support';
import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Authorization, CALLBACK, MCP_URL, startAuthorization } from './authorization.ts';

let authorization: Authorization;
let browser: Browser;
beforeAll(async () => {
  authorization = await startAuthorization();
  browser = authorization.browser();
  await browser.signIn(authorization.service.practice.administrator);
});
afterAll(() => authorization.close());

/** Connects an app. @param resources those that the authorization and the exchange name */
const connect = async (app: oauth.Client, first = MCP_URL, second = MCP_URL) => {
  const started = await authorization.start(browser, app, { resource: first });
  const redirect = await authorization.decide(browser, started.uid, 'allow');
  const response = await authorization.exchange(app, redirect, started, { resource: second });
  return { tokens: await oauth.processAuthorizationCodeResponse(authorization.as, app, response) };
};

const registerAs = async (metadata: object) => {
  const response = await fetch(authorization.as.registration_endpoint ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  });
  return { status: response.status, json: (await response.json()) as oauth.Client };
};

test.each([
  [
    'more grant types than the server has, as Visual Studio Code',
    { grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'] },
  ],
  ['more response types', { response_types: ['code', 'token'] }],
  ['scopes of OpenID', { scope: 'openid profile clinic:read' }],
  ['an empty scope', { scope: '' }],
  ['null and empty values', { contacts: null, client_uri: '', logo_uri: null, response_types: [] }],
  ['a signature of OpenID', { id_token_signed_response_alg: 'RS256', subject_type: 'public' }],
])('an app that names %s is registered with what the server has', async (_what, metadata) => {
  const { status, json } = await registerAs({ client_name: 'App', redirect_uris: [CALLBACK], ...metadata });
  expect({ status, json }).toMatchObject({
    status: 201,
    json: { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] },
  });
  const { tokens } = await connect(json);
  expect(tokens.refresh_token).toBeDefined();
});

test('an app whose grant types are all unknown is refused', async () => {
  const { status, json } = await registerAs({
    redirect_uris: [CALLBACK],
    grant_types: ['client_credentials'],
  });
  expect({ status, json }).toMatchObject({ status: 400, json: { error: 'invalid_client_metadata' } });
});

test('an app reads its registration with its token, and changes nothing', async () => {
  const { json: registered } = await registerAs({ client_name: 'Reader', redirect_uris: [CALLBACK] });
  const { json: other } = await registerAs({ client_name: 'Other', redirect_uris: [CALLBACK] });
  const url = String(registered.registration_client_uri);
  const secret = String(registered.registration_access_token);
  const read = (token: string, method = 'GET') =>
    fetch(url, { method, headers: { authorization: `Bearer ${token}` } });
  const response = await read(secret);
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await response.json()).toEqual(registered);
  for (const token of ['', 'x', String(other.registration_access_token)]) {
    const refused = await read(token);
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"');
    expect(await refused.json()).toMatchObject({ error: 'invalid_token' });
  }
  for (const method of ['PUT', 'DELETE', 'POST']) expect((await read(secret, method)).status).not.toBe(200);
  expect((await read(secret)).status).toBe(200);
});

const SLASH = `${MCP_URL}/`;
test.each([
  [MCP_URL, SLASH, MCP_URL],
  [SLASH, MCP_URL, SLASH],
  [SLASH, SLASH, MCP_URL],
  [MCP_URL, SLASH, SLASH],
  ['https://MCP.example.com:443/mcp', MCP_URL, SLASH],
])('the connector is one resource: authorize %s, exchange %s, refresh %s', async (first, second, third) => {
  const { as } = authorization;
  const app = await authorization.register();
  const { tokens } = await connect(app, first, second);
  expect(tokens.expires_in).toBe(8 * 3600);
  let refreshToken = tokens.refresh_token ?? '';
  for (const resource of [third, second, first, undefined]) {
    const response = await oauth.refreshTokenGrantRequest(as, app, oauth.None(), refreshToken, {
      [oauth.allowInsecureRequests]: true,
      ...(resource !== undefined && { additionalParameters: { resource } }),
    });
    const refreshed = await oauth.processRefreshTokenResponse(as, app, response);
    expect(await authorization.introspect(refreshed.access_token)).toMatchObject({
      active: true,
      aud: MCP_URL,
    });
    refreshToken = refreshed.refresh_token ?? '';
  }
});
