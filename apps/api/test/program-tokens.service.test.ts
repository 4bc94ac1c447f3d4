import { newId } from '@chairside/domain';
import { quickPasswords } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scopesOf } from '../src/http/authorization.ts';
import type { RouteEntry } from '../src/http/route-list.ts';
import { type ApiResponse, openTestApi, type TestApi, token } from './api.ts';
import { logEvents } from './logged-events.ts';
import { openSuccessfulCalls, type SuccessfulCalls } from './successful-calls.ts';

/*
 * What a program token can do. The tests iterate over the app's own list of routes, so that no route can be forgotten.
 */
const WITHIN = [
  'DELETE /api/webhooksubscriptions/:webhookSubscriptionId',
  'DELETE /api/webhooksubscriptions/:webhookSubscriptionId/redeliveries/:redeliveryId',
  'GET /api/clinics',
  'GET /api/clinics/:clinicId',
  'GET /api/events',
  'GET /api/events/:eventId',
  'GET /api/servicestatus',
  'GET /api/sessions/current',
  'GET /api/webhookdeliveries',
  'GET /api/webhookdeliveries/:webhookDeliveryId',
  'GET /api/webhookstatistics',
  'GET /api/webhooksubscriptions',
  'GET /api/webhooksubscriptions/:webhookSubscriptionId',
  'GET /api/webhooksubscriptions/:webhookSubscriptionId/deliveries',
  'GET /api/webhooksubscriptions/:webhookSubscriptionId/redeliveries',
  'GET /api/webhooksubscriptions/:webhookSubscriptionId/redeliveries/:redeliveryId',
  'POST /api/webhookdeliveries/:webhookDeliveryId/redeliver',
  'POST /api/webhooksubscriptions',
  'POST /api/webhooksubscriptions/:webhookSubscriptionId/redeliver',
  'POST /api/webhooksubscriptions/:webhookSubscriptionId/test',
  'PUT /api/webhooksubscriptions/:webhookSubscriptionId',
];

const PROXY_SECRET = 'the-secret-of-the-dashboard-0123456789';
let api: TestApi;
let calls: SuccessfulCalls;
let administrator: string;
beforeAll(async () => {
  api = await openTestApi([], [], { passwords: quickPasswords, proxySecrets: [PROXY_SECRET] });
  calls = await openSuccessfulCalls(api);
  administrator = token(api.practice.administrator.token);
});
afterAll(() => api.close());

const create = async (fields: object = {}): Promise<string> => {
  const body = { name: 'onboarding', access: 'webhooks', ...fields };
  const { status, json } = await api.call('POST', '/api/sessions/current/tokens', {
    as: administrator,
    body,
  });
  expect(status).toBe(200);
  return token(json.token);
};
const nameOf = ({ method, url }: RouteEntry): string => `${method.replace('HEAD', 'GET')} ${url}`;
const guarded = () => api.app.routeList.filter(({ access }) => access !== 'public');
const filled = (url: string, ids: Record<string, string> = {}): string =>
  url.replace(/:(\w+)/g, (_all, parameter) => ids[parameter] ?? 'x');

test('every route outside of webhooks and events responds with 403, which says what to do', async () => {
  const as = await create();
  const outside = guarded().filter((route) => !WITHIN.includes(nameOf(route)));
  expect(outside.length).toBeGreaterThan(50);
  for (const { method, url, access } of outside) {
    const body = method === 'POST' || method === 'PUT' ? { body: {} } : {};
    const { status, json } = await api.call(method, filled(url), { as, ...body });
    expect({ method, url, status }).toEqual({ method, url, status: 403 });
    if (method === 'HEAD' || access === 'public') continue;
    expect(json.message).toMatch(/^This program token has the access webhooks: .* as an operator instead\.$/);
    const { requestId, ...details } = json.details;
    const [requiredScope] = 'role' in access ? [] : scopesOf(access);
    expect(details).toEqual(
      'role' in access ? { requiredRole: access.role } : { ...(requiredScope && { requiredScope }) },
    );
  }
});

/** The names of the fields of a value, at every level. */
const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]));
};

test('every route for webhooks and events responds as to an administrator', async () => {
  const as = await create();
  const within = guarded().filter(({ access }) => access !== 'public' && access.program !== undefined);
  expect([...new Set(within.map(nameOf))].toSorted()).toEqual(WITHIN);
  for (const { method, url } of within) {
    // The session of a token is the token.
    if (url === '/api/sessions/current') continue;
    const of = async (caller: string): Promise<ApiResponse> => (await calls.prepare(method, url, caller))();
    const [theirs, ours] = [await of(administrator), await of(as)];
    const route = `${method} ${url}`;
    expect({ route, status: ours.status }).toEqual({ route, status: 200 });
    expect(theirs.status).toBe(200);
    expect({ route, body: shapeOf(ours.json) }).toEqual({ route, body: shapeOf(theirs.json) });
    // The list of the statistics ends with hours that are not closed, which other calls of this test change. The state of the
    // service contains an age.
    if (method === 'GET' && !/statistics|servicestatus|deliveries$/.test(url))
      expect({ route, text: ours.text }).toEqual({ route, text: theirs.text });
  }
});

test('a token reads its own session with its end, its clinics, and how much of theirs waits', async () => {
  const [clinicId, otherId] = api.practice.clinicIds;
  const [all, as] = [await create(), await create({ clinicIds: [clinicId] })];
  const read = async (path: string, caller = as) => (await api.call('GET', path, { as: caller })).json;
  const own = await read('/api/sessions/current');
  expect(own).toMatchObject({ access: 'webhooks', clinicIds: [clinicId], expiryTime: expect.any(String) });
  expect(own.ref).toMatch(/^[\w-]{22}$/);
  expect((await read('/api/sessions/current', all)).ref).not.toBe(own.ref);
  const idsOf = (clinics: { _id: string }[]) => clinics.map(({ _id }) => _id);
  expect(idsOf(await read('/api/clinics'))).toEqual([clinicId]);
  expect(idsOf(await read('/api/clinics', all))).toEqual(expect.arrayContaining([clinicId, otherId]));
  const waiting = async (caller: string) => (await read('/api/servicestatus', caller)).eventsWaiting;
  const before = [await waiting(as), await waiting(all)];
  await api.call('POST', '/api/patients', { body: { clinicId: otherId } });
  expect([await waiting(as), await waiting(all)]).toEqual([before[0], before[1] + 1]);
  await api.call('POST', '/api/patients', { body: { clinicId } });
  expect([await waiting(as), await waiting(all)]).toEqual([before[0] + 1, before[1] + 2]);
});

test('whatever the token does names the token in the audit log', async () => {
  const { json } = await api.call('POST', '/api/sessions/current/tokens', {
    as: administrator,
    body: { name: 'audited', access: 'webhooks' },
  });
  const as = token(json.token);
  const [eventId = ''] = await logEvents(api, api.practice, ['patient.created']);
  await api.call('GET', `/api/events/${eventId}`, { as });
  const created = await (await calls.prepare('POST', '/api/webhooksubscriptions', as))();
  const { json: entries } = await api.call('GET', `/api/auditentries?principalId=${json._id}`, {
    as: administrator,
  });
  expect(entries.map(({ action, kind, ids }: any) => [action, kind, ids])).toEqual([
    ['created', 'webhookSubscription', [created.json._id]],
    ['events_read', 'patient', ['record']],
    ['token_used', 'session', [json._id]],
  ]);
  for (const { principal } of entries) expect(principal).toEqual({ kind: 'programToken', id: json._id });
});

/** Creates a subscription with a test, a bulk redelivery, an event and a row of the statistics. */
const inClinic = async (clinicId: string): Promise<Record<string, string>> => {
  const as = administrator;
  const url = 'https://example.com';
  const subscription = await api.call('POST', '/api/webhooksubscriptions', { as, body: { clinicId, url } });
  const path = `/api/webhooksubscriptions/${subscription.json._id}`;
  const test = await api.call('POST', `${path}/test`, { as });
  const since = { since: '2030-01-01T00:00:00Z' };
  const redelivery = await api.call('POST', `${path}/redeliver`, { as, body: since });
  const practice = { ...api.practice, clinicIds: [clinicId, clinicId] as const };
  const [eventId = ''] = await logEvents(api, practice, ['patient.created']);
  await api.database.collection('deliveries').insertOne({
    _id: newId(),
    organizationId: api.practice.organizationId,
    clinicId,
    subscriptionId: subscription.json._id,
    eventId,
    event: 'patient.created',
    kind: 'event',
    status: 'succeeded',
    duration: 1,
    timings: {},
    createdTime: new Date(Date.now() - 1000),
    attemptTime: new Date(),
    finalTime: new Date(Date.now() - 500),
    expireAt: new Date(Date.now() + 86_400_000),
  } as never);
  return {
    webhookSubscriptionId: subscription.json._id,
    webhookDeliveryId: test.json._id,
    redeliveryId: redelivery.json._id,
    eventId,
    clinicId,
  };
};

const withoutRequest = ({ status, headers, text, json }: ApiResponse) => ({
  status,
  text: text.replaceAll(json?.details?.requestId ?? '', ''),
  headers: [...headers].filter(([name]) => !['x-request-id', 'date', 'ratelimit'].includes(name)),
});

/** The smallest body that a route accepts. */
const bodyOf = (method: string, url: string) => {
  if (method !== 'POST' && method !== 'PUT') return {};
  return { body: /subscriptions.*redeliver$/.test(url) ? { since: '2030-01-01T00:00:00Z' } : {} };
};
const withinRoutes = () => guarded().filter((route) => WITHIN.includes(nameOf(route)));

test('what belongs to other clinics does not exist for a token that names clinics', async () => {
  const [clinicId, otherId] = api.practice.clinicIds;
  const [own, other] = [await inClinic(clinicId), await inClinic(otherId)];
  const as = await create({ clinicIds: [clinicId] });
  for (const { method, url } of withinRoutes().filter((route) => route.url.includes(':'))) {
    const respond = (ids: Record<string, string>) =>
      api.call(method, filled(url, ids), { as, ...bodyOf(method, url) });
    const [foreign, missing] = [await respond(other), await respond({})];
    const route = `${method} ${url}`;
    expect({ route, status: foreign.status }).toEqual({ route, status: 404 });
    expect(withoutRequest(foreign)).toEqual(withoutRequest(missing));
    if (method === 'GET')
      expect({ route, status: (await respond(own)).status }).toEqual({ route, status: 200 });
  }
  const body = { url: 'https://example.com' };
  const inOther = (id: string) =>
    api.call('POST', '/api/webhooksubscriptions', { as, body: { ...body, clinicId: id } });
  const [foreign, missing] = [await inOther(otherId), await inOther('missing')];
  expect(foreign.status).toBe(400);
  expect(withoutRequest(foreign)).toEqual(withoutRequest(missing));
  const path = `/api/webhooksubscriptions/${other.webhookSubscriptionId}`;
  expect((await api.call('GET', path, { as: administrator })).json).toMatchObject({
    ...body,
    url: new URL(body.url).href,
  });
});

test('lists contain only what belongs to the clinics of the token, with every filter', async () => {
  const [clinicId, otherId] = api.practice.clinicIds;
  const [own, other] = [await inClinic(clinicId), await inClinic(otherId)];
  const as = await create({ clinicIds: [clinicId] });
  // The state of the service contains only counts.
  const counts = ['/api/servicestatus', '/api/sessions/current', '/api/clinics'];
  const lists = withinRoutes().filter(
    ({ method, url }) => method === 'GET' && !url.includes(':') && !counts.includes(url),
  );
  expect(lists).toHaveLength(4);
  for (const { url } of lists) {
    const read = async (query: string) => (await api.call('GET', `${url}${query}`, { as })).text;
    const all = await read('');
    expect(all).toContain(clinicId);
    for (const id of Object.values(other)) expect(all).not.toContain(id);
    if (url === '/api/webhooksubscriptions') continue;
    expect(await read(`?clinicId=${otherId}`)).toBe('[]');
    expect(await read(`?clinicId=${clinicId}`)).toContain(clinicId);
    if (url === '/api/events') continue;
    expect(await read(`?webhookSubscriptionId=${other.webhookSubscriptionId}`)).toBe('[]');
    expect(await read(`?webhookSubscriptionId=${own.webhookSubscriptionId}`)).toContain(clinicId);
  }
});

test('an event of a record that has moved shows only the clinics of the token', async () => {
  const [eventId = ''] = await logEvents(api, api.practice, ['patient.updated']);
  await api.database.collection('events').updateOne({ _id: eventId as never }, {
    $set: { clinicIds: [...api.practice.clinicIds] },
  } as never);
  const as = await create({ clinicIds: [api.practice.clinicIds[1]] });
  const one = await api.call('GET', `/api/events/${eventId}`, { as });
  expect(one.json.clinicIds).toEqual([api.practice.clinicIds[1]]);
  const { json } = await api.call('GET', '/api/events?limit=1000', { as });
  expect(json.find(({ id }: { id: string }) => id === eventId).clinicIds).toEqual([
    api.practice.clinicIds[1],
  ]);
  const { json: all } = await api.call('GET', `/api/events/${eventId}`, { as: administrator });
  expect(all.clinicIds).toEqual([...api.practice.clinicIds]);
});

test('each token has a rate limit of its own', async () => {
  const [as, other] = [await create(), await create()];
  const remaining = async (caller: string) => {
    const { headers } = await api.call('GET', '/api/webhookdeliveries', { as: caller });
    expect(headers.get('ratelimit-policy')).toBe('"token";q=3000;w=60');
    return Number(/;r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
  };
  expect([await remaining(as), await remaining(as), await remaining(other)]).toEqual([2999, 2998, 2999]);
});

test('the dashboard cannot use a program token as a session, and gets the 401 of an unknown token', async () => {
  const headers = { 'x-proxy-secret': PROXY_SECRET, 'x-forwarded-for': '203.0.113.9' };
  const as = await create();
  for (const path of ['/api/sessions/current', '/api/events']) {
    const ours = await api.call('GET', path, { as, headers });
    const unknown = await api.call('GET', path, { as: token('chairside_token_none'), headers });
    expect(ours.status).toBe(401);
    expect(withoutRequest(ours)).toEqual(withoutRequest(unknown));
  }
  expect((await api.call('GET', '/api/events', { as })).status).toBe(200);
});
