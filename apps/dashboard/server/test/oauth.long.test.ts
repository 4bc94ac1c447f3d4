import { doors } from '@chairside/http-server';
import { type Browser, plantConnection } from '@chairside/test-support';
import * as oauth4webapi from 'oauth4webapi';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Authorization, CALLBACK, MCP_URL, startAuthorization } from './authorization.ts';
import { attacks } from './oauth-attacks.ts';

let authorization: Authorization;
let client: oauth4webapi.Client;
beforeAll(async () => {
  authorization = await startAuthorization({ schemes: ['cursor'] });
  client = await authorization.register();
});
afterAll(() => authorization.close());

const administrator = () => authorization.service.practice.administrator;

/** A browser in which an administrator looks at the consent page. */
const asked = async (
  parameters?: Record<string, string>,
  of = client,
): Promise<{ browser: Browser; uid: string; verifier: string; state: string }> => {
  const browser = authorization.browser();
  await browser.signIn(administrator());
  const started = await authorization.start(browser, of, parameters);
  expect((await browser.get(`/oauth/consent/${started.uid}/details`)).status).toBe(200);
  return { browser, ...started };
};
const decide = (browser: Browser, uid: string, decision = 'allow', origin?: string) =>
  browser.post(`/oauth/consent/${uid}/decision`, { decision }, origin);

/** Sets the time at which the password was last entered, in all sessions of the administrator. */
const confirmedBefore = (minutes: number) =>
  authorization.service.database
    .collection('sessions')
    .updateMany(
      { operatorId: administrator()._id },
      { $set: { confirmedTime: new Date(Date.now() - minutes * 60_000) } },
    );

const auditEntries = async (requestId: string | null) =>
  authorization.service.database
    .collection('auditEntries')
    .find({ requestId: requestId ?? '' })
    .toArray();

/** The audit entries of the end of a grant. */
const endsOf = (grantId: string) =>
  authorization.service.database
    .collection('auditEntries')
    .find({ kind: 'connection', action: 'deleted', ids: grantId })
    .toArray();

/** The routes of the dashboard and its authorization server that change something, and what leaves an audit entry. */
const AUDITED_BY: Readonly<Record<string, string>> = {
  'GET /downloads/auditentries.csv': 'the api, which serves the rows',
  'GET /downloads/deliveries.csv': 'nothing, like the list of deliveries: it has no body',
  'GET /downloads/patients/:patientId': 'the api: exported',
  'POST /session': 'the api: the sign-in',
  'DELETE /session': 'the api: the sign-out',
  'POST /session/challenge': 'the api: the sign-in',
  'POST /session/tokens': 'the api: the sign-in',
  '* /api/*': 'the api',
  'POST /api/invitations/complete': 'the api',
  'POST /api/passwordresets': 'the api, if there is such an operator',
  'POST /api/passwordresets/complete': 'the api',
  'POST /api/sessions/passkey': 'nothing: a challenge has no effect alone',
  'POST /oauth/consent/:uid/decision': 'the authorization server: granted or denied',
  'POST /oauth/token':
    'the authorization server, if a replay ends the grant. A token belongs to a grant, which has an entry. Its use is shown with the connection',
  'POST /oauth/revoke': 'the authorization server: deleted, by the app',
  'POST /oauth/register': 'nothing: a stranger registers an app, which can do nothing before the consent',
};

test('every route that changes something is audited, or has a reason not to be', () => {
  const changing = authorization.app.doorList.flatMap(({ method, url, door }) => {
    if (door === 'dashboard-forwarded') return ['* /api/*'];
    const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(method);
    return isRead && door !== 'dashboard-download' ? [] : [`${method} ${url}`];
  });
  expect([...new Set(changing)].toSorted()).toEqual(Object.keys(AUDITED_BY).toSorted());
});

test('every door of the dashboard and the authorization server has a route', () => {
  const served = new Set(authorization.app.doorList.map(({ door }) => door));
  const named = Object.entries(doors).filter(([, { server }]) =>
    /^(dashboard|authorization server)$/.test(server),
  );
  expect([...served].toSorted()).toEqual(named.map(([name]) => name).toSorted());
});

test('an independent client connects an app, refreshes, and revokes', async () => {
  const { as, service, issuer } = authorization;
  expect(as).toMatchObject({
    issuer,
    code_challenge_methods_supported: ['S256'],
    response_types_supported: ['code'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  });
  expect(as.scopes_supported).toEqual(['clinic:read', 'offline_access']);
  expect(as.response_modes_supported).toEqual(['query']);
  expect(as.protected_resources).toEqual([MCP_URL]);
  expect(JSON.stringify(as)).not.toContain('introspect');

  const browser = authorization.browser();
  const started = await authorization.start(browser, client);
  expect(started.response.status).toBe(303);
  expect((await browser.get(`/oauth/consent/${started.uid}/details`)).status).toBe(401);
  await browser.signIn(administrator());
  const details = await browser.get(`/oauth/consent/${started.uid}/details`);
  expect(await details.json()).toEqual({
    app: 'Inspector',
    redirectHost: '127.0.0.1:9',
    redirectKind: 'loopback',
    organization: 'Test practice',
    asked: [],
  });
  const decision = await decide(browser, started.uid);
  const { location } = (await decision.json()) as { location: string };
  const redirect = new URL((await browser.get(location)).headers.get('location') ?? '');
  expect(redirect.href.split('?')[0]).toBe(CALLBACK);
  // The authorization server sets no session cookie of its own.
  expect(browser.names).toEqual([
    'chairside-oauth-interaction',
    'chairside-oauth-interaction.sig',
    'chairside',
  ]);

  const response = await authorization.exchange(client, redirect, started);
  const tokens = await oauth4webapi.processAuthorizationCodeResponse(as, client, response);
  expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 28_800, scope: 'clinic:read' });
  const live = await authorization.introspect(tokens.access_token);
  expect(live).toEqual({
    status: 200,
    active: true,
    scope: 'clinic:read',
    client_id: client.client_id,
    sub: administrator()._id,
    iss: issuer,
    aud: MCP_URL,
    iat: expect.any(Number),
    exp: expect.any(Number),
    token_type: 'Bearer',
    organization_id: service.practice.organizationId,
    grant_id: expect.any(String),
    suspended: false,
  });
  const { organizationId } = service.practice;
  const { stops } = service.store.everyOrganization.administration;
  await stops.add({ organizationId, by: 'test' });
  const isSuspended = async () => (await authorization.introspect(tokens.access_token)).suspended;
  await expect.poll(isSuspended).toBe(true);
  await stops.remove({ organizationId });
  await expect.poll(isSuspended).toBe(false);
  const connections = service.database.collection('connections');
  const connection = await connections.findOne({ _id: String(live.grant_id) });
  expect(connection).toEqual({
    _id: live.grant_id,
    organizationId: service.practice.organizationId,
    operatorId: administrator()._id,
    accessRevision: 0,
    clientId: client.client_id,
    clientName: 'Inspector',
    redirectHost: '127.0.0.1:9',
    createdTime: expect.any(Date),
    lastUsedTime: expect.any(Date),
    expireAt: expect.any(Date),
    slot: expect.any(Number),
  });
  const days = (connection?.expireAt.getTime() - connection?.createdTime.getTime()) / 86_400_000;
  expect(Math.round(days)).toBe(30);
  const state = service.database.collection('oauthState');
  expect(await state.findOne({ kind: 'Grant', grantId: live.grant_id })).toMatchObject({
    expireAt: connection?.expireAt,
  });
  expect(await auditEntries(decision.headers.get('x-request-id'))).toMatchObject([
    {
      action: 'granted',
      kind: 'connection',
      ids: [live.grant_id],
      principal: { kind: 'operator', id: administrator()._id },
      address: browser.address,
      result: 'ok',
      changes: expect.arrayContaining([{ field: 'app', value: 'Inspector' }]),
    },
  ]);

  // The consent to another connection of the app shows what it has asked.
  for (const tool of ['list_clinics', 'find_availability'])
    await authorization.introspection.ask(tokens.access_token, authorization.secrets[0] ?? '', tool);
  const { uid } = await authorization.start(browser, client);
  const again = await (await browser.get(`/oauth/consent/${uid}/details`)).json();
  const lastUsedTime = expect.stringMatching(/:00\.000Z$/);
  expect(again).toMatchObject({
    asked: expect.arrayContaining(
      ['find_availability', 'list_clinics'].map((name) => ({ name, lastUsedTime })),
    ),
  });

  const refreshed = await oauth4webapi.processRefreshTokenResponse(
    as,
    client,
    await authorization.refresh(client, tokens.refresh_token ?? ''),
  );
  expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);
  expect(await authorization.introspect(refreshed.access_token)).toMatchObject({ active: true });
  const revoked = await oauth4webapi.revocationRequest(
    as,
    client,
    oauth4webapi.None(),
    refreshed.access_token,
    { [oauth4webapi.allowInsecureRequests]: true },
  );
  expect(revoked.status).toBe(200);
  expect(await authorization.introspect(tokens.access_token)).toEqual({ status: 200, active: false });
  expect(await connections.findOne({ _id: String(live.grant_id) })).toBeNull();
  expect(await endsOf(String(live.grant_id))).toMatchObject([
    {
      principal: { kind: 'app', id: client.client_id },
      organizationId: live.organization_id,
      address: expect.any(String),
      requestId: revoked.headers.get('x-request-id'),
      changes: [
        { field: 'app', value: expect.any(String) },
        { field: 'reason', value: 'revoked' },
      ],
      result: 'ok',
    },
  ]);
});

test('an app that asks for no scope, another scope or no resource gets the only scope and the only resource', async () => {
  for (const parameters of [
    { scope: undefined, resource: undefined },
    { scope: 'openid', nonce: 'x', max_age: '0', claims: '{}', acr_values: 'x', id_token_hint: 'x' },
    { scope: 'offline_access', prompt: 'consent', resource: `${MCP_URL}/` },
  ] as Record<string, string>[]) {
    const { browser, uid, ...started } = await asked(parameters);
    const redirect = await authorization.decide(browser, uid, 'allow');
    const response = await authorization.exchange(client, redirect, started, {
      resource: parameters.resource ?? MCP_URL,
    });
    const { access_token } = await oauth4webapi.processAuthorizationCodeResponse(
      authorization.as,
      client,
      response,
    );
    expect(await authorization.introspect(access_token)).toMatchObject({
      active: true,
      aud: MCP_URL,
      scope: 'clinic:read',
    });
  }
});

test('a denial redirects to the app, is audited, and connects nothing', async () => {
  const { browser, uid, state } = await asked();
  const decision = await decide(browser, uid, 'deny');
  const { location } = (await decision.json()) as { location: string };
  const response = new URL((await browser.get(location)).headers.get('location') ?? '');
  const validate = () => oauth4webapi.validateAuthResponse(authorization.as, client, response, state);
  expect(validate).toThrow(expect.objectContaining({ error: 'access_denied' }));
  expect(await auditEntries(decision.headers.get('x-request-id'))).toMatchObject([
    { action: 'denied', ids: [] },
  ]);
});

test('a browser that continues after the grant has expired is redirected to the app with an error', async () => {
  const { browser, uid } = await asked();
  const { location } = (await (await decide(browser, uid)).json()) as { location: string };
  // A decided request is neither shown nor decided again.
  expect((await browser.get(`/oauth/consent/${uid}/details`)).status).toBe(404);
  expect((await decide(browser, uid, 'deny')).status).toBe(404);
  await authorization.service.database
    .collection('connections')
    .updateMany({ operatorId: administrator()._id }, { $set: { expireAt: new Date() } });
  const response = new URL((await browser.get(location)).headers.get('location') ?? '');
  expect([response.href.startsWith(CALLBACK), response.searchParams.get('error')]).toEqual([
    true,
    'access_denied',
  ]);
});

test('the 101st app waits until an administrator has disconnected another one', async () => {
  const { practice, database } = authorization.service;
  const connections = database.collection('connections');
  await connections.deleteMany({ organizationId: practice.organizationId });
  const owner = { organizationId: practice.organizationId, operatorId: administrator()._id };
  for (let index = 0; index < 100; index++) await plantConnection(database, owner);
  const { browser, uid } = await asked();
  const grants = await database.collection('oauthState').countDocuments({ kind: 'Grant' });
  const refused = await decide(browser, uid);
  expect(await refused.json()).toMatchObject({
    statusCode: 409,
    name: 'Conflict',
    message:
      'Your organization already has 100 connected apps, the maximum. Disconnect an app under "Connected apps", then allow this one.',
  });
  expect(await database.collection('oauthState').countDocuments({ kind: 'Grant' })).toBe(grants);
  const { _id } = (await connections.findOne(owner)) ?? { _id: '' };
  await practice.store.connections.delete(_id, new Date());
  expect((await decide(browser, uid)).status).toBe(200);
  expect(await connections.countDocuments(owner)).toBe(100);
  await connections.deleteMany(owner);
});

test('staff can deny an app, but cannot allow it', async () => {
  const browser = authorization.browser();
  await browser.signIn(authorization.service.practice.staff);
  const { uid } = await authorization.start(browser, client);
  expect((await browser.get(`/oauth/consent/${uid}/details`)).status).toBe(200);
  const refused = await decide(browser, uid);
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({ details: { requiredRole: 'administrator' } });
  expect((await decide(browser, uid, 'deny')).status).toBe(200);
});

test('needs a password that was confirmed in the last ten minutes', async () => {
  const { browser, uid } = await asked();
  await confirmedBefore(11);
  const refused = await decide(browser, uid);
  expect(await refused.json()).toMatchObject({
    statusCode: 403,
    details: { requiredConfirmation: 'password' },
  });
  const { password } = administrator();
  expect((await browser.post('/api/sessions/current/confirm', { password })).status).toBe(200);
  expect((await decide(browser, uid)).status).toBe(200);
  await confirmedBefore(0);
});

const credentials = () => {
  const { email, password } = administrator();
  return { email, password };
};

/** What an attacker gets who knows the password of an administrator with a factor, by route; or why there is nothing to get. */
const WITH_PASSWORD_ALONE: Readonly<Record<string, string | ((stolen: Browser) => Promise<Response>)>> = {
  'GET /downloads/auditentries.csv': 'it needs a session',
  'GET /downloads/deliveries.csv': 'it needs a session',
  'GET /downloads/patients/:patientId': 'it needs a session',
  'POST /session': () => authorization.browser().post('/session', credentials()),
  'DELETE /session': 'it gives nothing',
  'POST /session/challenge': async () => {
    const asked = await authorization.browser().post('/session', credentials());
    const { challenge } = ((await asked.json()) as { details: { challenge: string } }).details;
    return authorization.browser().post('/session/challenge', { challenge, code: '000000' });
  },
  'POST /session/tokens': (stolen) => stolen.post('/session/tokens', { password: administrator().password }),
  '* /api/*': 'the routes of the api have their own test',
  'POST /api/invitations/complete': 'the api',
  'POST /api/passwordresets': 'the api',
  'POST /api/passwordresets/complete': 'the api',
  'POST /api/sessions/passkey': 'the api',
  'POST /oauth/consent/:uid/decision': async (stolen) => {
    const { uid } = await authorization.start(stolen, client);
    await stolen.get(`/oauth/consent/${uid}/details`);
    return decide(stolen, uid);
  },
  'POST /oauth/token': 'it needs the code of a grant',
  'POST /oauth/revoke': 'it gives nothing',
  'POST /oauth/register': 'an app can do nothing before the consent',
};

test('a password alone, or with a stolen session, gives nothing where the operator has a factor', async () => {
  expect(Object.keys(WITH_PASSWORD_ALONE).toSorted()).toEqual(Object.keys(AUDITED_BY).toSorted());
  const stolen = authorization.browser();
  await stolen.signIn(administrator());
  const { factors } = authorization.service.practice.store;
  const { _id } = administrator();
  await factors.beginCode(_id, 'A'.repeat(32), new Date());
  await factors.addCode(_id, 'A'.repeat(32), 0, [], new Date());
  await confirmedBefore(11);
  for (const [route, attempt] of Object.entries(WITH_PASSWORD_ALONE)) {
    if (typeof attempt === 'string') continue;
    const response = await attempt(stolen);
    const { details } = (await response.json()) as { details: Record<string, unknown> };
    expect({ route, status: response.status }).toEqual({
      route,
      status: route.includes('oauth') || route.includes('tokens') ? 403 : 401,
    });
    if (!route.endsWith('challenge'))
      expect(details.requiredSecondFactor ?? details.requiredConfirmation).toBeDefined();
    expect(response.headers.getSetCookie().filter((cookie) => cookie.startsWith('chairside='))).toEqual([]);
  }
  await factors.removeCode(_id, new Date());
  await confirmedBefore(0);
});

test('an administrator who lacks a required factor cannot allow an app', async () => {
  const { factorRequirement } = authorization.service.practice.store;
  const { browser, uid } = await asked();
  const isRestricted = async () =>
    ((await (await browser.get('/session')).json()) as { factorRequired: boolean }).factorRequired;
  await factorRequirement.set('administrators');
  await expect.poll(isRestricted).toBe(true);
  const refused = await decide(browser, uid);
  expect(await refused.json()).toMatchObject({ statusCode: 403, details: { requiredFactor: true } });
  await factorRequirement.set('off');
  await expect.poll(isRestricted).toBe(false);
  expect((await decide(browser, uid)).status).toBe(200);
});

test('of an allowance and a denial at the same moment, one is made', async () => {
  for (let round = 0; round < 5; round++) {
    const { browser, uid } = await asked();
    const decisions = await Promise.all([decide(browser, uid, 'allow'), decide(browser, uid, 'deny')]);
    expect(decisions.map(({ status }) => status).sort()).toEqual([200, 404]);
    const entries = await Promise.all(
      decisions.map((decision) => auditEntries(decision.headers.get('x-request-id'))),
    );
    expect(entries.flat()).toHaveLength(1);
  }
});

test('only the operator who was asked can decide, in the same browser, from a page of the dashboard', async () => {
  const { browser, uid } = await asked();
  for (const origin of [
    'https://evil.example',
    'null',
    authorization.issuer.replace('127.0.0.1', 'localhost'),
  ])
    expect((await decide(browser, uid, 'allow', origin)).status).toBe(403);
  // A request whose consent page nobody has opened cannot be decided.
  const unseen = await authorization.start(browser, client);
  expect((await decide(browser, unseen.uid)).status).toBe(404);
  // The same administrator cannot decide in another browser.
  const other = authorization.browser();
  await other.signIn(administrator());
  expect((await other.get(`/oauth/consent/${uid}/details`)).status).toBe(404);
  expect((await decide(other, uid)).status).toBe(404);
  // The id in the address must be that of the interaction in the cookie.
  expect((await decide(browser, `${uid}x`)).status).toBe(404);
  expect((await decide(browser, uid, 'perhaps')).status).toBe(400);

  const second = await authorization.service.practice.store.operators.create(
    { email: 'second@example.com', password: 'another password', role: 'administrator' },
    new Date(),
  );
  expect(second).toMatchObject({ role: 'administrator' });
  await browser.signIn({ email: 'second@example.com', password: 'another password' });
  const refused = await decide(browser, uid);
  expect([refused.status, ((await refused.json()) as { message: string }).message]).toEqual([
    403,
    'This request was opened by another operator. Start again in the app.',
  ]);
  expect((await browser.get(`/oauth/consent/${uid}/details`)).status).toBe(403);
});

test('a program token is no session of the dashboard, and no token of an app', async () => {
  const signedIn = authorization.browser();
  await signedIn.signIn(administrator());
  const asked = { name: 'Onboarding', access: 'webhooks' };
  const created = await signedIn.post('/api/sessions/current/tokens', asked);
  expect(created.status).toBe(200);
  const { token } = (await created.json()) as { token: string };
  const own = await authorization.service.call('GET', '/api/events', undefined, `Token ${token}`);
  expect(own.status).toBe(200);

  expect(await authorization.introspect(token)).toMatchObject({ active: false });
  const call = (path: string, init: RequestInit = {}) =>
    fetch(authorization.issuer + path, {
      ...init,
      headers: { ...init.headers, cookie: `chairside=${token}`, origin: authorization.issuer },
    });
  expect(await (await call('/session')).json()).toBeNull();
  const { uid } = await authorization.start(authorization.browser(), client);
  for (const path of ['/api/events', '/api/webhooksubscriptions', `/oauth/consent/${uid}/details`])
    expect({ path, status: (await call(path)).status }).toEqual({ path, status: 401 });
  const body = JSON.stringify({ password: administrator().password });
  const headers = { 'content-type': 'application/json' };
  expect((await call('/session/tokens', { method: 'POST', headers, body })).status).toBe(401);
});

test('signing out of the dashboard leaves nothing signed in', async () => {
  const { browser, uid } = await asked();
  await browser.fetch('/session', { method: 'DELETE', headers: { origin: authorization.issuer } });
  expect((await decide(browser, uid)).status).toBe(401);
  // Even an app that was connected before is not connected again without the consent page.
  const silent = await authorization.start(browser, client, { prompt: 'none' });
  expect([silent.response.status, silent.response.headers.get('location')]).toEqual([400, null]);
  const next = await authorization.start(browser, client);
  expect((await browser.get(`/oauth/consent/${next.uid}/details`)).status).toBe(401);
});

test('the consent page cannot be framed, runs no inline code, and can redirect the browser to the app only', async () => {
  const browser = authorization.browser();
  const { uid } = await authorization.start(browser, client);
  const page = await browser.get(`/oauth/consent/${uid}`, {
    accept: 'text/html',
    'sec-fetch-site': 'cross-site',
  });
  expect(page.status).toBe(200);
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("form-action 'self' http://127.0.0.1:9;");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
  expect(page.headers.get('x-frame-options')).toBe('DENY');
  const unknown = await browser.get('/oauth/consent/unknown', { accept: 'text/html' });
  expect(unknown.headers.get('content-security-policy')).toContain("form-action 'self';");
  const read = await browser.get(`/oauth/consent/${uid}/details`, { 'sec-fetch-site': 'cross-site' });
  expect(read.status).toBe(403);
});

test('a change of the operator’s access ends the grant at the next call and at the next refresh', async () => {
  const { operators } = authorization.service.practice.store;
  const make = async (email: string) => {
    const password = 'correct horse battery';
    const made = await operators.create({ email, password, role: 'administrator' }, new Date());
    if (typeof made === 'string') throw new Error('taken');
    return { ...made, password };
  };
  const connectAs = async (browser: Browser) => {
    const started = await authorization.start(browser, client);
    const redirect = await authorization.decide(browser, started.uid, 'allow');
    const response = await authorization.exchange(client, redirect, started);
    return oauth4webapi.processAuthorizationCodeResponse(authorization.as, client, response);
  };
  const changes = [
    { active: false },
    { role: 'staff' as const },
    { password: 'another password' },
    'removed' as const,
    'disconnected' as const,
  ];
  const endings = changes.map(async (change, index) => {
    const operator = await make(`changed${index}@example.com`);
    const browser = authorization.browser();
    await browser.signIn(operator);
    const [called, refreshed] = [await connectAs(browser), await connectAs(browser)];
    const { grant_id } = await authorization.introspect(called.access_token);
    expect(await authorization.introspect(refreshed.access_token)).toMatchObject({ active: true });
    const connections = authorization.service.database.collection('connections');
    if (change === 'removed') await operators.remove(operator._id);
    else if (change === 'disconnected') await connections.deleteMany({ operatorId: operator._id });
    else await operators.update(operator._id, change, new Date());
    expect(await authorization.introspect(called.access_token)).toEqual({ status: 200, active: false });
    const refusal = await authorization.refresh(client, refreshed.refresh_token ?? '');
    expect([refusal.status, await refusal.json()]).toEqual([
      400,
      expect.objectContaining({ error: 'invalid_grant' }),
    ]);
    expect(await authorization.introspect(refreshed.access_token)).toEqual({ status: 200, active: false });
    const byChange = {
      principal: { kind: 'app' },
      changes: [{ field: 'app' }, { field: 'reason', value: 'operator' }],
    };
    expect(await endsOf(String(grant_id))).toMatchObject(change === 'disconnected' ? [] : [byChange]);
    // Reverting the change does not restore the grant, because nothing of the grant is left.
    expect(await connections.countDocuments({ operatorId: operator._id })).toBe(0);
    const state = authorization.service.database.collection('oauthState');
    expect(await state.countDocuments({ grantId: String(grant_id) })).toBe(0);
  });
  await Promise.all(endings);
});

test('stores no token, code or cookie that could be used', async () => {
  const { tokens } = await authorization.connect();
  const { database } = authorization.service;
  const names = ['oauthState', 'oauthClients', 'oauthLimits', 'connections', 'auditEntries'];
  const all = await Promise.all(names.map((name) => database.collection(name).find().toArray()));
  const stored = JSON.stringify(all);
  expect(all.map((each) => each.length > 0)).toEqual(names.map(() => true));
  for (const secret of [tokens.access_token, tokens.refresh_token ?? '', CALLBACK])
    expect(stored).not.toContain(secret);
  for (const each of all.flat().filter(({ payload }) => payload !== undefined))
    expect(each.expireAt).toBeInstanceOf(Date);
  // State that is found by its hash counts as gone when it has expired, even before the database deletes it.
  await database
    .collection('oauthState')
    .updateMany({ kind: 'AccessToken' }, { $set: { expireAt: new Date() } });
  expect(await authorization.introspect(tokens.access_token)).toEqual({ status: 200, active: false });
});

attacks(() => authorization);
