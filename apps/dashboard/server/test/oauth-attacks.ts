import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { freePort } from '@chairside/processes';
import * as oauth4webapi from 'oauth4webapi';
import { beforeAll, expect, test } from 'vitest';
import { buildApp } from '../src/app.ts';
import { openAuthorizationServer } from '../src/oauth/authorization-server.ts';
import { createDocumentFetch, isAllowedHost } from '../src/oauth/client-documents.ts';
import { closeIntrospection, createIntrospectionServer, introspect } from '../src/oauth/introspection.ts';
import { type Authorization, type Browser, CALLBACK, MCP_URL } from './authorization.ts';

/**
 * The attacks on the authorization server, each with its test. They are a part of oauth.test.ts, because the start of the
 * product takes longer than most of them.
 *
 * @param started returns the product, once it is started
 */
export const attacks = (started: () => Authorization): void => {
  let authorization: Authorization;
  let client: oauth4webapi.Client;
  /** That of an administrator who is signed in. */
  let browser: Browser;
  /** What must be in no log. */
  const secrets = new Set<string>();
  beforeAll(async () => {
    authorization = started();
    client = await authorization.register();
    browser = authorization.browser();
    await browser.signIn(authorization.service.practice.administrator);
    for (const secret of authorization.secrets) secrets.add(secret);
    for (const key of authorization.config.OAUTH_KEYS.split(',')) secrets.add(key.slice(2));
  });

  /** A code that was granted to an app, with what it was asked for with. */
  const grantCode = async (of = client) => {
    const started = await authorization.start(browser, of);
    const answer = await authorization.answer(browser, started.uid, 'allow');
    secrets.add(answer.searchParams.get('code') ?? '').add(started.verifier);
    return { answer, started };
  };
  const tokensOf = async (response: Response) => {
    const tokens = (await response.json()) as { access_token: string; refresh_token: string };
    secrets.add(tokens.access_token).add(tokens.refresh_token);
    return tokens;
  };
  const connect = async () => {
    const { answer, started } = await grantCode();
    return tokensOf(await authorization.exchange(client, answer, started));
  };
  const registration = async (metadata: object, headers: Record<string, string> = {}) =>
    fetch(authorization.as.registration_endpoint ?? '', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': authorization.browser().address,
        ...headers,
      },
      body: JSON.stringify(metadata),
    });
  const token = (parameters: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(authorization.as.token_endpoint ?? '', {
      method: 'POST',
      headers,
      body: new URLSearchParams(parameters),
    });

  test.each([
    ['http', 'http://evil.example/callback'],
    ['a name that begins like one of the own machine', 'http://localhost.evil.example/callback'],
    ['credentials', 'https://claude.ai@evil.example/callback'],
    ['a fragment', 'https://app.example/callback#x'],
    ['a script', 'javascript:alert(1)'],
    ['a scheme that is not allowed', 'vscode://app/callback'],
    ['a host that ends a directive of the policy', "https://a;script-src'.example/callback"],
    ['a host that names a part of the policy', "cursor://$'/callback"],
    ['no URL', 'callback'],
  ])('refuses to register a redirect with %s', async (_what, uri) => {
    for (const application_type of ['web', 'native', undefined]) {
      const refused = await registration({ redirect_uris: [CALLBACK, uri], application_type });
      const { error } = (await refused.json()) as { error: string };
      expect([refused.status, error]).toEqual([400, 'invalid_redirect_uri']);
    }
  });

  test('redirects to registered addresses only; on the own machine to any port; to allowed schemes', async () => {
    const redirect_uris = [
      'https://app.example/callback',
      'http://localhost/callback',
      'cursor://anysphere.cursor/callback',
    ];
    const app = await authorization.register({ redirect_uris, application_type: 'web' });
    for (const uri of [...redirect_uris, 'http://localhost:33418/callback']) {
      const { response, uid } = await authorization.start(browser, app, { redirect_uri: uri });
      expect([uri, response.status]).toEqual([uri, 303]);
      const page = await browser.get(`/oauth/consent/${uid}`);
      const source = uri.startsWith('cursor') ? 'cursor:' : new URL(uri).origin;
      expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' ${source};`);
    }
    for (const uri of [
      undefined,
      'https://app.example/callback/',
      'https://app.example/callback?x=1',
      'https://app.example:8443/callback',
      'https://app.example.evil.example/callback',
      'http://localhost:33418/other',
      'http://127.0.0.1/callback',
      'cursor://other/callback',
    ]) {
      const { response } = await authorization.start(browser, app, { redirect_uri: uri });
      expect([uri, response.status, response.headers.get('location')]).toEqual([uri, 400, null]);
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    }
    // An error page shows nothing that it was given as markup.
    const { response } = await authorization.start(browser, { client_id: '<script>alert(1)</script>' });
    expect([response.status, await response.text()]).toEqual([400, expect.not.stringContaining('<script')]);
  });

  test.each([
    ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no method', { code_challenge_method: undefined }, 'invalid_request'],
    ['a token in the response', { response_type: 'token' }, 'unsupported_response_type'],
    ['a prompt that must not ask', { prompt: 'none' }, 'login_required'],
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
  ])(
    'refuses an authorization with %s on a page, and redirects nowhere',
    async (_what, parameters, error) => {
      const { response } = await authorization.start(authorization.browser(), client, parameters);
      expect([response.status, response.headers.get('location')]).toEqual([400, null]);
      expect(await response.text()).toContain(`<code>${error}</code>`);
    },
  );

  test('refuses a response mode that needs a script, and a POST', async () => {
    const { response } = await authorization.start(authorization.browser(), client, {
      response_mode: 'form_post',
    });
    expect(response.status).toBe(400);
    const posted = await authorization.browser().post('/oauth/authorize', {});
    expect(posted.status).toBe(404);
  });

  test('a client notices the answer of another authorization server (mix-up)', async () => {
    const { answer, started } = await grantCode();
    const other = { ...authorization.as, issuer: 'https://honest.example' };
    const validate = (as: oauth4webapi.AuthorizationServer, url: URL) =>
      oauth4webapi.validateAuthResponse(as, client, url, started.state);
    expect(() => validate(other, answer)).toThrow('unexpected "iss"');
    answer.searchParams.delete('iss');
    expect(() => validate(authorization.as, answer)).toThrow('"iss"');
  });

  test('a code is for its client, its address, its verifier and its resource, and for one exchange', async () => {
    const other = await authorization.register();
    const { answer, started } = await grantCode();
    const code = answer.searchParams.get('code') ?? '';
    const right = {
      grant_type: 'authorization_code',
      code,
      client_id: client.client_id,
      redirect_uri: CALLBACK,
      code_verifier: started.verifier,
      resource: MCP_URL,
    };
    const wrong: [Record<string, string>, string][] = [
      [{ client_id: other.client_id }, 'invalid_grant'],
      [{ redirect_uri: 'http://127.0.0.1:10/callback' }, 'invalid_grant'],
      [{ code_verifier: oauth4webapi.generateRandomCodeVerifier() }, 'invalid_grant'],
      [{ code_verifier: '' }, 'invalid_grant'],
      [{ code: `${code}x` }, 'invalid_grant'],
      [{ client_id: 'unknown' }, 'invalid_client'],
    ];
    for (const [change, error] of wrong) {
      const refused = await token({ ...right, ...change });
      expect([change, ((await refused.json()) as { error: string }).error]).toEqual([change, error]);
    }
    // Neither a cookie nor an origin makes a difference.
    const exchanged = await token(right, { cookie: 'chairside=x', 'x-forwarded-host': 'evil.example' });
    expect(exchanged.status).toBe(200);
    const tokens = await tokensOf(exchanged);
    expect(await authorization.introspect(tokens.access_token)).toMatchObject({ active: true });
    const replayed = await token(right);
    expect([replayed.status, await replayed.json()]).toEqual([
      400,
      expect.objectContaining({ error: 'invalid_grant' }),
    ]);
    expect(await authorization.introspect(tokens.access_token)).toEqual({ status: 200, active: false });
    const refreshed = await authorization.refresh(client, tokens.refresh_token);
    expect(refreshed.status).toBe(400);
  });

  test('a code for one resource buys no token for another', async () => {
    const { answer, started } = await grantCode();
    const refused = await authorization.exchange(client, answer, started, {
      resource: 'https://other.example/mcp',
    });
    expect(await refused.json()).toMatchObject({ error: 'invalid_target' });
    // Nor does the introspection of another resource accept the token of this one.
    const { access_token } = await connect();
    const metrics = { grantEnded() {}, clientRegistered() {}, oauthLimited() {} };
    const other = openAuthorizationServer(
      { ...authorization.config, MCP_URL: 'https://other.example/mcp' },
      metrics,
    );
    expect(await introspect(other, access_token)).toEqual({ active: false });
    await other.close();
    expect(await authorization.introspect(access_token)).toMatchObject({ active: true });
  });

  /** The statuses of concurrent requests, and the tokens of the one that succeeded. */
  const race = async (request: () => Promise<Response>) => {
    const responses = await Promise.all(Array.from({ length: 20 }, request));
    const winners = responses.filter(({ ok }) => ok);
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(400)]);
    return tokensOf(winners[0] as Response);
  };

  test('of 20 exchanges of one code at once, one succeeds, and what it got is worthless', async () => {
    const { answer, started } = await grantCode();
    const { access_token, refresh_token } = await race(() => authorization.exchange(client, answer, started));
    expect(await authorization.introspect(access_token)).toEqual({ status: 200, active: false });
    expect((await authorization.refresh(client, refresh_token)).status).toBe(400);
  });

  test('of 20 refreshes with one token at once, one succeeds, and the family ends; so does a later replay', async () => {
    const first = await connect();
    const won = await race(() => authorization.refresh(client, first.refresh_token));
    for (const { access_token } of [first, won])
      expect(await authorization.introspect(access_token)).toEqual({ status: 200, active: false });
    expect((await authorization.refresh(client, won.refresh_token)).status).toBe(400);

    const before = await connect();
    const after = await tokensOf(await authorization.refresh(client, before.refresh_token));
    expect(await authorization.introspect(after.access_token)).toMatchObject({ active: true });
    expect((await authorization.refresh(client, before.refresh_token)).status).toBe(400);
    for (const { access_token } of [before, after])
      expect(await authorization.introspect(access_token)).toEqual({ status: 200, active: false });
    expect(await authorization.metrics()).toMatch(/grants_ended_total\{reason="replay"\} [1-9]/);
  });

  test('the metadata names no host but the own, and no other host is served', async () => {
    const urls = [
      '/.well-known/oauth-authorization-server',
      '/.well-known/openid-configuration',
      '/oauth/jwks',
    ];
    const host = new URL(authorization.issuer).host;
    for (const url of urls) {
      const poisoned = await authorization.app.inject({ url, headers: { host: 'evil.example' } });
      expect([url, poisoned.statusCode]).toEqual([url, 400]);
      const headers = {
        host,
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        forwarded: 'host=evil.example',
      };
      const served = await authorization.app.inject({ url, headers });
      expect([served.statusCode, served.body]).toEqual([200, expect.not.stringContaining('evil.example')]);
      if (url !== '/oauth/jwks')
        expect(served.json().token_endpoint).toBe(`${authorization.issuer}/oauth/token`);
      else expect(served.body).not.toContain('"d"');
    }
    const posted = await authorization.app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { host: 'evil.example' },
    });
    expect(posted.statusCode).toBe(400);
  });

  test('behind a proxy that terminates TLS, cookies are for https only', async () => {
    const config = { ...authorization.config, PUBLIC_URL: 'https://dashboard.example.com' };
    const oauth = openAuthorizationServer(config, authorization.dependencies.metrics);
    const app = await buildApp({ ...authorization.dependencies, config, oauth });
    const { url } = await authorization.authorizeUrl(client);
    const { pathname, search } = new URL(url);
    const began = await app.inject({ url: pathname + search, headers: { host: 'dashboard.example.com' } });
    expect(began.statusCode).toBe(303);
    const cookies = [began.headers['set-cookie'] ?? []].flat();
    expect(cookies).toHaveLength(4);
    for (const cookie of cookies)
      expect(cookie).toMatch(
        /^__Secure-chairside-oauth-(interaction|resume)(\.sig)?=.+; path=\/oauth\/(consent|authorize)\/[\w-]+; .*samesite=lax; secure; httponly$/i,
      );
    const metadata = await app.inject({
      url: '/.well-known/oauth-authorization-server',
      headers: { host: 'dashboard.example.com' },
    });
    expect(metadata.json().token_endpoint).toBe('https://dashboard.example.com/oauth/token');
    await app.close();
    await oauth.close();
  });

  test.each(['RefreshToken', 'AccessToken'])(
    'a refresh can be repeated after the database failed to store the %s',
    async (kind) => {
      const { refresh_token } = await connect();
      const { state } = authorization.oauth.store;
      const { save } = state;
      state.save = async (...given) => {
        if (given[0] === kind) throw Object.assign(new Error('the connection broke'), { code: 'ECONNRESET' });
        return save(...given);
      };
      try {
        expect((await authorization.refresh(client, refresh_token)).status).toBe(503);
      } finally {
        state.save = save;
      }
      const { access_token } = await tokensOf(await authorization.refresh(client, refresh_token));
      expect(await authorization.introspect(access_token)).toMatchObject({ active: true });
      // It was used now, so the next use is a second one.
      expect((await authorization.refresh(client, refresh_token)).status).toBe(400);
    },
  );

  test('a key that replaces another under the same id ends the connections of the old one, without a fault', async () => {
    const { access_token, refresh_token } = await connect();
    const OAUTH_KEYS = authorization.config.OAUTH_KEYS.replaceAll(
      /:[^,]+/g,
      () => `:${randomBytes(32).toString('base64')}`,
    );
    const oauth = openAuthorizationServer(
      { ...authorization.config, OAUTH_KEYS },
      authorization.dependencies.metrics,
    );
    const app = await buildApp({ ...authorization.dependencies, oauth });
    expect(await introspect(oauth, access_token)).toEqual({ active: false });
    const refreshed = await app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: {
        host: new URL(authorization.issuer).host,
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: String(
        new URLSearchParams({ grant_type: 'refresh_token', refresh_token, client_id: client.client_id }),
      ),
    });
    // The app registers anew.
    expect([refreshed.statusCode, refreshed.json().error]).toEqual([401, 'invalid_client']);
    await app.close();
    await oauth.close();
  });

  const ID = 'https://app.example/client.json';
  const document = { client_id: ID, client_name: 'Assistant', redirect_uris: ['http://localhost/callback'] };
  const serve = (body: object, init: ResponseInit = {}) =>
    authorization.documents.set(ID, async () => Response.json(body, init));

  test('an app identifies itself with a document, and cannot change between the question and the answer', async () => {
    serve(document);
    const app = { client_id: ID };
    const redirect_uri = 'http://localhost:50123/callback';
    const { uid } = await authorization.start(browser, app, { redirect_uri });
    const details = await browser.get(`/oauth/consent/${uid}/details`);
    expect(await details.json()).toMatchObject({
      app: 'Assistant',
      redirectHost: 'localhost:50123',
      redirectKind: 'loopback',
    });
    const decide = () => browser.post(`/oauth/consent/${uid}/decision`, { decision: 'allow' });
    serve({ ...document, client_name: 'Your dentist' });
    expect((await decide()).status).toBe(409);
    serve(document, { status: 404 });
    expect((await decide()).status).toBe(404);
    serve(document);
    const decided = (await (await decide()).json()) as { location: string };
    const answer = new URL((await browser.get(decided.location)).headers.get('location') ?? '');
    expect(answer.href).toMatch(/^http:\/\/localhost:50123\/callback\?code=/);
  });

  test('an app whose document is unreachable keeps its connection, and gets 503 until the document is back', async () => {
    serve(document);
    const app = { client_id: ID };
    const redirect_uri = 'http://localhost:50123/callback';
    const started = await authorization.start(browser, app, { redirect_uri });
    const answer = await authorization.answer(browser, started.uid, 'allow');
    const exchanged = await token({
      grant_type: 'authorization_code',
      code: answer.searchParams.get('code') ?? '',
      ...app,
      redirect_uri,
      code_verifier: started.verifier,
    });
    const { refresh_token } = await tokensOf(exchanged);
    const refresh = () => token({ grant_type: 'refresh_token', refresh_token, ...app });
    const failures: (() => Promise<Response>)[] = [
      async () => new Response('', { status: 503 }),
      async () => new Response('', { status: 429 }),
      () => Promise.reject(new TypeError('fetch failed')),
      () => Promise.reject(new DOMException('no response', 'TimeoutError')),
    ];
    for (const failure of failures) {
      authorization.documents.set(ID, failure);
      const refused = await refresh();
      expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
        503,
        '2',
        expect.objectContaining({ error: 'temporarily_unavailable' }),
      ]);
    }
    const { response } = await authorization.start(authorization.browser(), app, { redirect_uri });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await response.text()).toContain('Try again in a minute');
    serve(document, { status: 404 });
    expect(await (await refresh()).json()).toMatchObject({ error: 'invalid_client' });
    serve(document);
    // Neither does an app become unknown because a network has made too many documents be fetched.
    const headers = { 'x-forwarded-for': '2001:db8:5::1' };
    const unknown = { grant_type: 'refresh_token', refresh_token: 'x', ...app };
    const statuses = await Promise.all(
      Array.from({ length: 45 }, async () => (await token(unknown, headers)).status),
    );
    expect(new Set(statuses)).toEqual(new Set([400, 503]));
    await tokensOf(await refresh());
  });

  test.each([
    ['is of another client', { ...document, client_id: 'https://other.example/client.json' }],
    ['has a secret', { ...document, token_endpoint_auth_method: 'client_secret_basic', client_secret: 'x' }],
    ['redirects to http', { ...document, redirect_uris: ['http://evil.example/callback'] }],
    ['has a name that hides', { ...document, client_name: 'Claude\u202e' }],
    ['is no object', []],
  ])('refuses a document that %s', async (_what, body) => {
    serve(body);
    const { response } = await authorization.start(
      authorization.browser(),
      { client_id: ID },
      { redirect_uri: 'http://localhost/callback' },
    );
    expect(response.status).toBe(400);
  });

  test('fetches documents from public addresses only, whatever a name resolves to', async () => {
    for (const id of [
      'https://127.0.0.1/client.json',
      'https://[::1]/client.json',
      'https://[::ffff:10.0.0.1]/client.json',
      'https://localhost/client.json',
      'https://169.254.169.254/latest/meta-data',
    ]) {
      const { response } = await authorization.start(authorization.browser(), { client_id: id });
      expect([id, response.status]).toEqual([id, 400]);
    }
    const addresses = [['10.0.0.1'], ['93.184.215.14', '127.0.0.1'], ['fd00::1'], []];
    for (const found of addresses) {
      const documents = createDocumentFetch(async () =>
        found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
      await expect(documents.fetch('https://app.example/client.json')).rejects.toMatchObject({
        cause: { name: 'BlockedAddressError' },
      });
      await expect(documents.fetch('http://app.example/client.json')).rejects.toMatchObject({
        cause: { name: 'BlockedAddressError' },
      });
      await documents.close();
    }
    expect(isAllowedHost('https://claude.ai/oauth/client', [])).toBe(true);
    expect(isAllowedHost('https://claude.ai/oauth/client', ['claude.ai'])).toBe(true);
    for (const id of [
      'https://claude.ai.evil.example/x',
      'https://claude.ai:8443/x',
      'https://x.claude.ai/x',
      'claude.ai',
    ])
      expect([id, isAllowedHost(id, ['claude.ai'])]).toEqual([id, false]);
  });

  test('limits registrations by network and by size, and forgets clients that nobody uses', async () => {
    const metadata = { redirect_uris: [CALLBACK] };
    const network = { 'x-forwarded-for': '2001:db8:1:ffff::1' };
    const statuses = await Promise.all(
      Array.from({ length: 22 }, async (_, index) => {
        const address = `2001:db8:1:${index}::1`;
        return (await registration(metadata, { 'x-forwarded-for': address })).status;
      }),
    );
    expect(statuses.toSorted()).toEqual([...Array(20).fill(201), 429, 429]);
    const limited = await registration(metadata, network);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await registration({ ...metadata, client_name: 'x'.repeat(20_000) })).status).toBe(413);
    expect((await registration({ redirect_uris: Array(11).fill(CALLBACK) })).status).toBe(400);
    expect(await authorization.metrics()).toMatch(/oauth_limited_total\{limit="register"\} 3/);

    const clients = authorization.service.database.collection<{ _id: string; expireAt: Date }>(
      'oauthClients',
    );
    const daysOf = async (id: string) => {
      const client = await clients.findOne({ _id: id });
      return Math.round(((client?.expireAt.getTime() ?? 0) - Date.now()) / 86_400_000);
    };
    await connect();
    expect(await daysOf(client.client_id)).toBe(90);
    const unused = await authorization.register();
    expect(await daysOf(unused.client_id)).toBe(1);
    await clients.updateOne({ _id: unused.client_id }, { $set: { expireAt: new Date() } });
    const { response } = await authorization.start(authorization.browser(), unused);
    expect(response.status).toBe(400);
  });

  test('limits authorizations of one network', async () => {
    const browser = authorization.browser();
    const url = '/oauth/authorize?client_id=unknown';
    const statuses = await Promise.all(
      Array.from({ length: 70 }, async () => (await browser.get(url)).status),
    );
    // The minute may end in between.
    expect(statuses.filter((status) => status === 400).length).toBeGreaterThanOrEqual(60);
    expect(new Set(statuses)).toEqual(new Set([400, 429]));
  });

  test('a registered secret is needed where a client has one', async () => {
    const app = await authorization.register({ token_endpoint_auth_method: 'client_secret_post' });
    secrets.add(String(app.client_secret));
    const { answer, started } = await grantCode(app);
    const without = await authorization.exchange(app, answer, started);
    expect(((await without.json()) as { error: string }).error).toBe('invalid_client');
    const parameters = oauth4webapi.validateAuthResponse(authorization.as, app, answer, started.state);
    const auth = oauth4webapi.ClientSecretPost(String(app.client_secret));
    const { as } = authorization;
    const options = { [oauth4webapi.allowInsecureRequests]: true };
    const exchanged = await oauth4webapi.authorizationCodeGrantRequest(
      as,
      app,
      auth,
      parameters,
      CALLBACK,
      started.verifier,
      options,
    );
    const { access_token } = await tokensOf(exchanged);
    expect(await authorization.introspect(access_token)).toMatchObject({ active: true });
  });

  test('introspects for the connector only, and not on the public port', async () => {
    const { access_token, refresh_token } = await connect();
    const [, second] = authorization.secrets;
    expect(await authorization.introspect(access_token, second)).toMatchObject({ active: true });
    for (const secret of ['', 'x'.repeat(48), `${second}x`])
      expect(await authorization.introspect(access_token, secret)).toMatchObject({ status: 401 });
    for (const other of [refresh_token, 'x', 'x'.repeat(43)])
      expect(await authorization.introspect(other)).toEqual({ status: 200, active: false });
    const basic = `Basic ${Buffer.from(`connector:${second}`).toString('base64')}`;
    const call = async (init: RequestInit, url = authorization.introspection) =>
      (
        await fetch(url, {
          method: 'POST',
          ...init,
          headers: { authorization: basic, ...(init.headers as object) },
        })
      ).status;
    expect(await call({ headers: { authorization: '' }, body: `token=${access_token}` })).toBe(401);
    expect(await call({ body: 'token=' })).toBe(400);
    expect(await call({ body: `token=${'x'.repeat(5000)}` })).toBe(413);
    expect(await call({ method: 'GET' })).toBe(405);
    expect(await call({}, authorization.introspection.replace('introspect', 'metrics'))).toBe(404);
    const { issuer } = authorization;
    for (const path of ['/introspect', '/oauth/introspect', '/token/introspection'])
      expect(await call({ headers: { origin: issuer }, body: `token=${access_token}` }, issuer + path)).toBe(
        404,
      );
  });

  test('while the database is away, nothing says that a person must sign in again', async () => {
    const { access_token, refresh_token } = await connect();
    const url = `mongodb://127.0.0.1:${await freePort()}/x`;
    const metrics = authorization.dependencies.metrics;
    const patience = { wait: 200 };
    const away = openAuthorizationServer({ ...authorization.config, MONGODB_URL: url }, metrics, {
      patience,
    });
    const lines: string[] = [];
    const app = await buildApp(
      { ...authorization.dependencies, oauth: away },
      { stream: { write: (line) => void lines.push(line) } },
    );
    const server = createIntrospectionServer(away, { secrets: ['x'], metrics, log: app.log });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { host } = new URL(authorization.issuer);
    const body = { grant_type: 'refresh_token', refresh_token, client_id: client.client_id };
    const [introspected, refreshed, began, found] = await Promise.all([
      fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/introspect`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa('connector:x')}` },
        body: new URLSearchParams({ token: access_token }),
      }),
      app.inject({
        method: 'POST',
        url: '/oauth/token',
        headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
        payload: String(new URLSearchParams(body)),
      }),
      app.inject({ url: '/oauth/authorize', headers: { host } }),
      app.inject({ url: '/.well-known/oauth-authorization-server', headers: { host } }),
    ]);
    expect([introspected.status, introspected.headers.get('retry-after')]).toEqual([503, '2']);
    expect([refreshed.statusCode, refreshed.headers['retry-after'], refreshed.json().error]).toEqual([
      503,
      '2',
      'temporarily_unavailable',
    ]);
    expect([began.statusCode, began.headers['retry-after']]).toEqual([503, '2']);
    expect(found.statusCode).toBe(200);
    for (const secret of [access_token, refresh_token]) expect(lines.join('')).not.toContain(secret);
    const failures = lines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'authorization server failed');
    expect(failures.map(({ requestId }) => requestId)).toEqual([refreshed.headers['x-request-id']]);
    expect(failures.map(({ err }) => err.type)).toEqual([expect.stringMatching(/^Mongo/)]);
    await app.close();
    // Closes with the idle connection of the request above.
    await closeIntrospection(server);
    await away.close();
  });

  test('no log has a token, a code, a secret or a key', () => {
    const log = authorization.lines.join('');
    expect(authorization.lines.length).toBeGreaterThan(100);
    expect(secrets.size).toBeGreaterThan(20);
    for (const secret of secrets) expect(log).not.toContain(secret);
    expect(log).not.toContain(authorization.service.practice.administrator.token);
  });
};
