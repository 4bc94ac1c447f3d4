import { doors } from '@chairside/http-server';
import { basic, createKey, openedDocuments, type Practice, plantConnection } from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scopesOf } from '../src/http/authorization.ts';
import type { RouteEntry } from '../src/http/route-list.ts';
import { type ApiResponse, callerOf, openTestApi, type TestApi, token } from './api.ts';
import { addPasskey, plantApp } from './factors.ts';
import { logEvents } from './logged-events.ts';
import { createReadOnlyRecords, createSettings } from './read-only-records.ts';
import { openSuccessfulCalls } from './successful-calls.ts';

// The tests iterate over the app's own list of routes, so that no route can be forgotten.
let api: TestApi;
let routes: RouteEntry[];
/** The ids of the other organization's records, by the name of the path parameter. */
let theirs: Record<string, string>;

beforeAll(async () => {
  api = await openTestApi();
  routes = api.app.routeList.filter(({ method }) => method !== 'HEAD');
  const clinicId = api.stranger.clinicIds[0];
  const as = basic(api.stranger.apiKey);
  const externalId = 'their:1';
  const patient = await api.call('POST', '/api/patients', { as, body: { clinicId, externalId } });
  const appointment = await api.call('POST', '/api/appointments', { as, body: { clinicId, externalId } });
  const subscription = await api.call('POST', '/api/webhooksubscriptions', {
    as: token(api.stranger.administrator.token),
    body: { clinicId, url: 'https://example.com' },
  });
  const administrator = { as: token(api.stranger.administrator.token) };
  const path = `/api/webhooksubscriptions/${subscription.json._id}`;
  const delivery = await api.call('POST', `${path}/test`, administrator);
  const redelivery = await api.call('POST', `${path}/redeliver`, {
    ...administrator,
    body: bodyFor(`${path}/redeliver`),
  });
  const key = { name: 'theirs', scopes: [], rateLimit: 1000 };
  theirs = {
    apiKeyId: (await createKey(api.stranger.store, key, new Date()))._id,
    operatorId: api.stranger.staff._id,
    webhookDeliveryId: delivery.json._id,
    redeliveryId: redelivery.json._id,
    ...(await createReadOnlyRecords(api.stranger, patient.json._id)),
    ...(await createSettings(api.database, api.stranger)),
    externalId,
    patientId: patient.json._id,
    appointmentId: appointment.json._id,
    webhookSubscriptionId: subscription.json._id,
    ...(await createSeen(api.stranger)),
    passkeyId: (await addPasskey(api, token(api.stranger.staff.token))).passkeyId,
  };
});
afterAll(() => api.close());

test('every door of the api has a route', () => {
  const served = new Set(api.app.doorList.map(({ door }) => door));
  const named = Object.entries(doors).filter(([, { server }]) => server === 'api');
  expect([...served].toSorted()).toEqual(named.map(([name]) => name).toSorted());
});

/** Returns the ids of a logged event, of another session of the administrator, and of a connected app. */
const createSeen = async (practice: Practice): Promise<Record<string, string>> => {
  const { email, password } = practice.administrator;
  const signedIn = await api.call('POST', '/api/sessions', { as: '', body: { email, password } });
  const [eventId = ''] = await logEvents(api, practice, ['patient.created']);
  const { organizationId, staff } = practice;
  const connectionId = await plantConnection(api.database, { organizationId, operatorId: staff._id });
  return { eventId, sessionId: signedIn.json._id, connectionId };
};

const filled = (url: string, id: (parameter: string) => string): string =>
  url.replace(/:(\w+)/g, (_all, parameter) => id(parameter));

const withoutRequest = ({ status, headers, text, json }: ApiResponse) => ({
  status,
  text: text.replaceAll(json?.details?.requestId ?? '', ''),
  headers: [...headers].filter(([name]) => !['x-request-id', 'date', 'ratelimit'].includes(name)),
});

/** A program token may not write records. */
const programToken = async (as: string): Promise<string> => {
  const body = { name: 'program', access: 'webhooks' };
  const { json } = await api.call('POST', '/api/sessions/current/tokens', { as, body });
  return token(json.token);
};

const PREVIEW = { from: '2030-01-07', to: '2030-01-07', durationMinutes: 30, hours: { weekdays: {} } };

/** The smallest body that a route for one record accepts. */
const bodyFor = (url: string): object => {
  const { password } = api.practice.administrator;
  if (url.endsWith('/reveal') || url.endsWith('/confirm')) return { password };
  if (url.endsWith('/rotate')) return { overlapHours: 1 };
  if (url.endsWith('/openinghours')) return { weekdays: {} };
  if (url.endsWith('/preview')) return PREVIEW;
  if (url.includes('/passkeys/')) return { name: 'Phone' };
  if (url.endsWith('/organization')) return { requiredFactors: 'off' };
  if (url.endsWith('/password')) return { password, newPassword: `${password} and more` };
  return /subscriptions\/\S+\/redeliver$/.test(url) ? { since: '2030-01-01T00:00:00Z' } : {};
};

/** The query that a route requires. @param id returns the id of a record, by the name of its parameter */
const queryFor = (url: string, id: (parameter: string) => string): string =>
  url === '/api/availability'
    ? `?${new URLSearchParams({ clinicId: id('clinicId'), from: '2030-01-07', to: '2030-01-07', procedureId: id('procedureId') })}`
    : '';

const isUpsert = (method: string, url: string): boolean => method === 'PUT' && url.endsWith('/:externalId');

const guarded = () => routes.filter(({ access }) => access !== 'public');

describe('every route', () => {
  test('has the expected number of routes', () => {
    expect(routes.map(({ method, url }) => `${method} ${url}`).sort()).toMatchSnapshot();
  });

  test('returns 401 with both schemes without credentials', async () => {
    for (const { method, url } of guarded()) {
      const response = await api.call(
        method,
        filled(url, () => 'x'),
        { as: '' },
      );
      expect({ method, url, status: response.status }).toEqual({ method, url, status: 401 });
      expect(response.headers.get('www-authenticate')).toMatch(/Basic.*Token/);
      expect(response.json).toEqual({
        message: expect.any(String),
        name: 'Unauthorized',
        statusCode: 401,
        details: { requestId: response.headers.get('x-request-id') },
      });
    }
  });

  test('returns 403 with the required scope to a key without it', async () => {
    const none = await createKey(
      api.practice.store,
      { name: 'none', scopes: [], rateLimit: 1000 },
      new Date(),
    );
    for (const { method, url, access } of guarded()) {
      if (access === 'public' || 'role' in access || scopesOf(access).length === 0) continue;
      const { status, json } = await api.call(
        method,
        filled(url, () => 'x'),
        { as: basic(none.secret) },
      );
      expect({ method, url, status }).toEqual({ method, url, status: 403 });
      expect(json.details.requiredScope).toBe(scopesOf(access)[0]);
    }
  });

  test('returns 403 to a key if it requires an operator, and to staff if it requires an administrator', async () => {
    for (const { method, url, access } of guarded()) {
      if (access === 'public' || !('role' in access)) continue;
      const byKey = await api.call(
        method,
        filled(url, () => 'x'),
      );
      expect({ method, url, status: byKey.status }).toEqual({ method, url, status: 403 });
      expect(byKey.json.details.requiredRole).toBe(access.role);
      if (access.role !== 'administrator') continue;
      const byStaff = await api.call(
        method,
        filled(url, () => 'x'),
        { as: token(api.practice.staff.token) },
      );
      expect(byStaff.status).toBe(403);
    }
  });

  test('responds to ids of another organization with the same bytes as to unknown ids', async () => {
    const as = token(api.practice.administrator.token);
    for (const { method, url } of guarded().filter((route) => route.url.includes(':'))) {
      const options = { as, ...((method === 'PUT' || method === 'POST') && { body: bodyFor(url) }) };
      const foreign = await api.call(
        method,
        filled(url, (parameter) => theirs[parameter] ?? ''),
        options,
      );
      const missing = await api.call(
        method,
        filled(url, () => '0'.repeat(26)),
        options,
      );
      expect(withoutRequest(foreign)).toEqual(withoutRequest(missing));
      // An upsert would create a record, and the body has no clinic.
      const status = isUpsert(method, url) ? 400 : 404;
      expect({ method, url, status: foreign.status }).toEqual({ method, url, status });
    }
    const after = await api.call('GET', `/api/patients/${theirs.patientId}`, {
      as: basic(api.stranger.apiKey),
    });
    expect(after.status).toBe(200);
  });

  test('lists no record of another organization', async () => {
    const as = token(api.practice.administrator.token);
    for (const { url } of guarded().filter(
      ({ method, url: path }) => method === 'GET' && !path.includes(':'),
    )) {
      const { text } = await api.call('GET', url, { as });
      for (const id of [...Object.values(theirs), api.stranger.organizationId])
        expect(text).not.toContain(id);
    }
  });

  test('returns 405 with Allow to a method that the path does not have, before any other check', async () => {
    for (const url of new Set(routes.map((route) => route.url))) {
      const allowed = api.app.routeList.filter((route) => route.url === url);
      const { status, headers, json } = await api.call(
        'PATCH',
        filled(url, () => 'x'),
        { as: '', body: '{' },
      );
      expect({ url, status }).toEqual({ url, status: 405 });
      expect(headers.get('allow')?.split(', ')).toEqual(allowed.map(({ method }) => method).sort());
      expect(json.name).toBe('MethodNotAllowed');
    }
  });

  test('refuses an unknown query parameter and names it', async () => {
    for (const { method, url, access } of guarded()) {
      const { status, json } = await api.call(method, `${filled(url, () => 'x')}?clincId=1`, {
        as: callerOf(api, access),
        ...(method !== 'GET' && { body: {} }),
      });
      expect({ method, url, status }).toEqual({ method, url, status: 400 });
      expect(json.details.issues).toContainEqual({
        path: 'clincId',
        message: 'is not a known query parameter',
        code: 'unknown',
      });
    }
  });

  test('returns 404 for an unknown path to every caller', async () => {
    const { status, json } = await api.call('GET', '/api/nothing', { as: '' });
    expect(status).toBe(404);
    expect(json.name).toBe('NotFound');
  });
});

test('returns no stored field that the schemas do not contain, for every collection and route', async () => {
  const as = token(api.practice.administrator.token);
  const [clinicId] = api.practice.clinicIds;
  const patient = await api.call('POST', '/api/patients', {
    as,
    body: { clinicId, externalId: 'pms:1', name: 'Ada' },
  });
  const appointment = await api.call('POST', '/api/appointments', {
    as,
    body: { clinicId, externalId: 'pms:1', procedures: [{ procedureId: 'p' }] },
  });
  const subscription = await api.call('POST', '/api/webhooksubscriptions', {
    as,
    body: { clinicId, url: 'https://example.com' },
  });
  const path = `/api/webhooksubscriptions/${subscription.json._id}`;
  const delivery = await api.call('POST', `${path}/test`, { as });
  const redelivery = await api.call('POST', `${path}/redeliver`, { as, body: bodyFor(`${path}/redeliver`) });
  const key = { name: 'ours', scopes: [], rateLimit: 1000 };
  const ids: Record<string, string> = {
    apiKeyId: (await createKey(api.practice.store, key, new Date()))._id,
    operatorId: api.practice.staff._id,
    ...(await createReadOnlyRecords(api.practice, patient.json._id)),
    ...(await createSettings(api.database, api.practice)),
    externalId: 'pms:1',
    patientId: patient.json._id,
    appointmentId: appointment.json._id,
    webhookSubscriptionId: subscription.json._id,
    webhookDeliveryId: delivery.json._id,
    redeliveryId: redelivery.json._id,
    ...(await createSeen(api.practice)),
  };
  // Neither the view nor the collection in which MongoDB keeps its definition can be changed.
  const collections = { type: 'collection', name: { $not: /^system\./ } };
  for (const { name } of await api.database.listCollections(collections).toArray()) {
    await api.database
      .collection(name)
      .updateMany({}, { $set: { planted: 'PLANTED-VALUE', language: null } });
  }
  await api.database
    .collection('appointments')
    .updateMany(
      { 'procedures.0': { $exists: true } },
      { $set: { 'procedures.0.planted': 'PLANTED-VALUE', 'procedures.0.name': null } },
    );
  const sealed = (await api.store.ciphers.of(api.practice.organizationId)).seal(
    JSON.stringify({ planted: 'PLANTED-VALUE', language: null }),
    { collection: 'patients', _id: patient.json._id, field: 'sealed' },
  );
  await api.database.collection('patients').updateOne({ _id: patient.json._id }, { $set: { sealed } });
  await plantApp(api.practice.store, api.practice.staff._id);
  const order = ['GET', 'PUT', 'DELETE'];
  const isOwnFactor = (url: string) => url.startsWith('/api/sessions/current/factors');
  // The other session is deleted first, because the change of the password would end it. That change would need a factor, so
  // there is none before. The session that makes the calls is ended last.
  const placeOf = ({ url }: RouteEntry) => {
    if (url === '/api/sessions/:sessionId') return 0;
    if (isOwnFactor(url)) return 2;
    return url === '/api/sessions/current' ? 3 : 1;
  };
  const calls = guarded()
    .filter(({ method }) => order.includes(method))
    .sort((a, b) => order.indexOf(a.method) - order.indexOf(b.method) || (a.url < b.url ? 1 : -1))
    .sort((a, b) => placeOf(a) - placeOf(b));
  for (const { method, url, access } of calls) {
    if (isOwnFactor(url) && ids.passkeyId === undefined) {
      ids.passkeyId = (await addPasskey(api, as)).passkeyId;
      await plantApp(api.practice.store, api.practice.administrator._id);
      await api.database
        .collection('operators')
        .updateMany({ 'passkeys.0': { $exists: true } }, { $set: { 'passkeys.0.planted': 'PLANTED-VALUE' } });
    }
    const id = (parameter: string) => ids[parameter] ?? '';
    const path = filled(url, id) + queryFor(url, id);
    const { status, text } = await api.call(method, path, {
      as: callerOf(api, access, as),
      ...(method === 'PUT' && { body: bodyFor(url) }),
    });
    expect({ method, url, status }).toEqual({ method, url, status: 200 });
    expect(text).not.toMatch(/planted|null|""|organizationId|outbox|revision|LowerCase/i);
  }
  const [document] = await openedDocuments(api, 'patients', { _id: patient.json._id });
  const bodies = document?.outbox.map(({ body }: { body: string }) => body).join();
  expect(bodies).toContain('patient.deleted');
  expect(bodies).not.toContain('PLANTED-VALUE');
});

// This test must be last: it checks the responses of all tests above, each of which was compared with the OpenAPI
// document.
test('the OpenAPI document was compared with a success and a refusal of every operation', async () => {
  const as = token(api.stranger.administrator.token);
  const publicRoutes = routes.filter(({ method, access }) => access === 'public' && method === 'GET');
  for (const { url } of publicRoutes) await api.call('GET', url, { as: '' });
  const key = `/api/apikeys/${theirs.apiKeyId}`;
  await api.call('POST', `${key}/rotate`, { as, body: { overlapHours: 0 } });
  await api.call('POST', `${key}/reveal`, { as, body: { password: api.stranger.administrator.password } });
  await api.call('POST', '/api/apikeys', { as, body: { name: 'another' } });
  await api.call('POST', '/api/patients/search', { as, body: {} });
  await api.call('POST', '/api/batch', { as, body: { writes: [{}] } });
  await api.call('POST', '/api/batch', { as: await programToken(as), body: { writes: [{}] } });
  const [clinicId] = api.stranger.clinicIds;
  const times = { startTime: '2026-12-24T00:00:00Z', endTime: '2026-12-25T00:00:00Z' };
  await api.call('POST', '/api/providers', { as, body: { name: 'Dr. Bo', clinicIds: [clinicId] } });
  await api.call('POST', '/api/procedures', { as, body: { name: 'Crown', durationMinutes: 90 } });
  await api.call('POST', '/api/calendarblocks', { as, body: { clinicId, ...times, kind: 'CLOSED' } });
  await api.call('POST', `/api/clinics/${clinicId}/openinghours/preview`, { as, body: PREVIEW });
  const operator = { email: 'another@example.com', password: 'a long enough password', role: 'staff' };
  await api.call('POST', '/api/operators', { as, body: operator });
  const waiting = { email: 'waiting@example.com', role: 'staff' as const };
  const invited = await api.stranger.store.operators.invite(waiting, false, new Date());
  if (typeof invited === 'string') throw new Error(invited);
  await api.call('POST', `/api/operators/${invited.operator._id}/invitation`, { as, body: {} });
  const { prepare } = await openSuccessfulCalls(api);
  const factors = '/api/sessions/current/factors';
  for (const url of [
    ...['/api/invitations/complete', '/api/passwordresets', '/api/passwordresets/complete'],
    ...['/api/sessions/challenge', '/api/sessions/passkey', `${factors}/codes`, `${factors}/codes/complete`],
    ...[`${factors}/passkeys`, `${factors}/passkeys/complete`, `${factors}/recoverycodes`],
  ])
    await (await prepare('POST', url))();
  const { email, password } = api.stranger.administrator;
  await api.call('POST', '/api/sessions/current/confirm', { as, body: { password } });
  await api.call('POST', '/api/sessions', { as: '', body: { email, password } });
  const program = { name: 'another', access: 'webhooks' };
  await api.call('POST', '/api/sessions/current/tokens', { as, body: program });
  const { deliveries } = api.store.everyOrganization;
  const queued = await deliveries.queued(theirs.webhookSubscriptionId ?? '', 100);
  const tested = queued.filter(({ _id }) => _id === theirs.webhookDeliveryId);
  const [delivery] = await deliveries.claim(tested, 'claim', 'worker');
  const outcome = { outcome: 'succeeded', attemptTime: new Date(), duration: 1, timings: {} } as const;
  if (delivery !== undefined) await deliveries.finish([{ delivery, outcome }], new Date());
  await api.call('POST', `/api/webhookdeliveries/${theirs.webhookDeliveryId}/redeliver`, { as });

  const { paths } = JSON.parse(api.app.openApi);
  const pathOf = (url: string): string => url.replace(/:(\w+)/g, '{$1}');
  const operations = routes.filter(({ url }) => paths[pathOf(url)] !== undefined);
  const expected = operations.flatMap(({ method, url, access }) => {
    const statuses = [
      200,
      ...(access === 'public' ? [] : [400, 401, 403]),
      ...(url.includes(':') && !isUpsert(method, url) ? [404] : []),
    ];
    return statuses.map((status) => `${method} ${pathOf(url)} ${status}`);
  });
  expect(expected.filter((each) => !api.responded.has(each))).toEqual([]);
});
