import { newId } from '@chairside/domain';
import {
  type DatabaseProxy,
  type Fault,
  plantConnection,
  quickPasswords,
  startDatabaseProxy,
  type TestOperator,
  testEngines,
} from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CallOptions, openTestApi, type TestApi, token } from './api.ts';
import { logEvents } from './logged-events.ts';
import { createReadOnlyRecords } from './read-only-records.ts';

/*
 * Every route of the app's own list, with a fault at each command that the route sends to the database. The response
 * is 503, and the same call succeeds after the fault.
 */

type Prepared = { path?: string; options?: CallOptions };
/** Creates the records of a call. By default a call uses shared records and the administrator's token. */
type Prepare = () => Promise<Prepared>;

let proxy: DatabaseProxy;
let api: TestApi;
let ids: Record<string, string>;
let administrator: string;

/**
 * Creates a subscription in a new clinic, because the number of subscriptions of a clinic and of calls for each is
 * limited.
 */
const subscribed = async (): Promise<string> => {
  const clinicId = newId();
  const named = { name: 'East', currency: 'EUR', timezone: 'UTC', lastEditTime: new Date().toISOString() };
  await api.practice.store.clinics.create({ _id: clinicId, ...named });
  const sent = { clinicId, url: 'https://example.com', events: [], active: true };
  const made = await api.practice.store.subscriptions.create(sent, new Date());
  if (made === undefined) throw new Error('the new clinic has too many subscriptions');
  return made._id;
};
const key = async (): Promise<string> =>
  (await api.practice.store.apiKeys.create({ name: 'a', scopes: [], rateLimit: 100 }, new Date()))._id;
/** Creates an administrator and signs in. */
const operator = async (): Promise<TestOperator & { sessionId: string }> => {
  const named = { email: `${newId()}@example.com`, password: `${newId()} is long` };
  const made = await api.practice.store.operators.create({ ...named, role: 'administrator' }, new Date());
  if (made === 'emailTaken') throw new Error('the new e-mail address is taken');
  const signedIn = await api.store.everyOrganization.sessions.signIn(named.email, named.password, new Date());
  if (signedIn.outcome !== 'signed_in') throw new Error('the new operator cannot sign in');
  return { ...named, _id: made._id, token: signedIn.session.token, sessionId: signedIn.session._id };
};
const patient = async (): Promise<string> =>
  (await api.call('POST', '/api/patients', { body: { clinicId: ids.clinicId } })).json._id;

const body =
  (given: () => object): Prepare =>
  async () => ({ options: { body: given() } });
/** Prepares a call on a new record. */
const on =
  (make: () => Promise<string>, path: (id: string) => string, given?: object): Prepare =>
  async () => ({ path: path(await make()), ...(given && { options: { body: given } }) });

const PREPARED: Readonly<Record<string, Prepare>> = {
  'DELETE /api/apikeys/:apiKeyId': on(key, (id) => `/api/apikeys/${id}`),
  'DELETE /api/appointments/:appointmentId': on(
    async () => (await api.call('POST', '/api/appointments', { body: { clinicId: ids.clinicId } })).json._id,
    (id) => `/api/appointments/${id}`,
  ),
  'DELETE /api/connections/:connectionId': on(
    () =>
      plantConnection(api.database, {
        organizationId: api.practice.organizationId,
        operatorId: api.practice.staff._id,
      }),
    (id) => `/api/connections/${id}`,
  ),
  'DELETE /api/operators/:operatorId': on(
    async () => (await operator())._id,
    (id) => `/api/operators/${id}`,
  ),
  'DELETE /api/operators/:operatorId/sessions': on(
    async () => (await operator())._id,
    (id) => `/api/operators/${id}/sessions`,
  ),
  'DELETE /api/patients/:patientId': on(patient, (id) => `/api/patients/${id}`),
  'DELETE /api/sessions/:sessionId': async () => {
    const { token: own, sessionId } = await operator();
    return { path: `/api/sessions/${sessionId}`, options: { as: token(own) } };
  },
  'DELETE /api/sessions/current': async () => ({ options: { as: token((await operator()).token) } }),
  'DELETE /api/webhooksubscriptions/:webhookSubscriptionId': on(
    subscribed,
    (id) => `/api/webhooksubscriptions/${id}`,
  ),
  'POST /api/apikeys': body(() => ({ name: 'a', scopes: [] })),
  'POST /api/apikeys/:apiKeyId/reveal': body(() => ({ password: api.practice.administrator.password })),
  'POST /api/appointments': body(() => ({ clinicId: ids.clinicId, patientId: ids.patientId })),
  'POST /api/operators': body(() => ({
    email: `${newId()}@example.com`,
    password: `${newId()} is long`,
    role: 'staff',
  })),
  'POST /api/patients': async () => ({
    options: { body: { clinicId: ids.clinicId }, headers: { 'idempotency-key': newId() } },
  }),
  'POST /api/sessions': async () => {
    const { email, password } = await operator();
    return { options: { as: '', body: { email, password } } };
  },
  'POST /api/sessions/current/confirm': body(() => ({ password: api.practice.administrator.password })),
  'POST /api/webhooksubscriptions': async () => {
    const clinicId = newId();
    const named = { name: 'East', currency: 'EUR', timezone: 'UTC', lastEditTime: new Date().toISOString() };
    await api.practice.store.clinics.create({ _id: clinicId, ...named });
    return { options: { body: { clinicId, url: 'https://example.com' } } };
  },
  'POST /api/webhooksubscriptions/:webhookSubscriptionId/redeliver': on(
    subscribed,
    (id) => `/api/webhooksubscriptions/${id}/redeliver`,
    { since: '2030-01-01T00:00:00Z' },
  ),
  'POST /api/webhooksubscriptions/:webhookSubscriptionId/test': on(
    subscribed,
    (id) => `/api/webhooksubscriptions/${id}/test`,
  ),
  'PUT /api/apikeys/:apiKeyId': body(() => ({ name: 'b' })),
  'PUT /api/appointments/:appointmentId': body(() => ({ status: 'SCHEDULED' })),
  'PUT /api/operators/:operatorId': body(() => ({ role: 'staff' })),
  'PUT /api/patients/:patientId': body(() => ({ name: 'b' })),
  'PUT /api/sessions/current/password': async () => {
    const { token: own, password } = await operator();
    return { options: { as: token(own), body: { password, newPassword: `${password} and more` } } };
  },
  'PUT /api/webhooksubscriptions/:webhookSubscriptionId': body(() => ({ active: true })),
};

const WRITES = ['insert', 'update', 'delete', 'findAndModify'];

/** Prepares a call of a route, and returns a function that makes it. */
const prepare = async (method: string, url: string) => {
  const filled = url.replace(/:(\w+)/g, (_all, parameter) => ids[parameter] ?? '');
  const { path = filled, options } = (await PREPARED[`${method} ${url}`]?.()) ?? {};
  return () => api.call(method, path, { as: administrator, ...options });
};

/** A command that a call sends to the database, and its place among all commands of the call. */
type Place = { commands: readonly string[]; place: number };

/** Calls a route with a fault at one of its commands, and again without it. Returns the problems. */
const problemsAt = async (
  { method, url }: { method: string; url: string },
  { commands, place }: Place,
  fault: Fault,
): Promise<string[]> => {
  const command = commands[place] ?? '';
  const where = `${method} ${url}, ${command} (${place + 1} of ${commands.length})`;
  const isLast = place === commands.length - 1;
  const call = await prepare(method, url);
  let seen = 0;
  const removeFault = proxy.inject({ matches: () => seen++ >= place, fault });
  const response = await call();
  // The second call may use a cached result, and send one command less.
  if (removeFault() === 0) return isLast ? [] : [`${where}: the fault did not occur`];
  // The last update only records that the work is done, for an Idempotency-Key or an audit entry. If it fails, the call
  // still succeeds.
  const isRecorded = isLast && command === 'update' && response.status < 300;
  const during =
    response.status === 503 || isRecorded ? [] : [`${where}: ${response.status} ${response.text}`];
  // The call may have succeeded although the response was 503, so the retry may be refused.
  const after = await call();
  return after.status < 500 ? during : [...during, `${where}, again: ${after.status} ${after.text}`];
};

/** Calls a route, and again with a fault at each of its commands. Returns the problems. */
const problemsOf = async (route: { method: string; url: string }, fault: Fault): Promise<string[]> => {
  const { method, url } = route;
  const call = await prepare(method, url);
  proxy.sent.length = 0;
  const { status, text } = await call();
  const commands = [...proxy.sent];
  const problems = status >= 400 ? [`${method} ${url}: ${status} ${text}`] : [];
  for (const [place, command] of commands.entries()) {
    if (fault.kind === 'writeConcernError' && !WRITES.includes(command)) continue;
    problems.push(...(await problemsAt(route, { commands, place }, fault)));
  }
  return problems;
};

describe.each<Fault>([
  { kind: 'error', code: 6 },
  { kind: 'writeConcernError', code: 64 },
])('%o', (fault) => {
  // A new api for each kind of fault, because some routes may be called only a few times in an hour.
  beforeAll(async () => {
    proxy = await startDatabaseProxy(testEngines().mongodbUrl, { replicaSet: true });
    api = await openTestApi([], [], { passwords: quickPasswords, mongodbUrl: proxy.url });
    administrator = token(api.practice.administrator.token);
    const { clinicIds } = api.practice;
    const { json: patient } = await api.call('POST', '/api/patients', { body: { clinicId: clinicIds[0] } });
    const { json: appointment } = await api.call('POST', '/api/appointments', {
      body: { clinicId: clinicIds[0] },
    });
    const subscription = await subscribed();
    const path = `/api/webhooksubscriptions/${subscription}`;
    const { json: delivery } = await api.call('POST', `${path}/test`, { as: administrator });
    const since = '2030-01-01T00:00:00Z';
    const { json: redelivery } = await api.call('POST', `${path}/redeliver`, {
      as: administrator,
      body: { since },
    });
    const ended = {
      status: 'succeeded',
      attemptTime: new Date(),
      duration: 1,
      timings: {},
      finalTime: new Date(),
    };
    await api.database.collection('deliveries').updateOne({ _id: delivery._id }, { $set: ended });
    ids = {
      patientId: patient._id,
      appointmentId: appointment._id,
      webhookSubscriptionId: subscription,
      webhookDeliveryId: delivery._id,
      redeliveryId: redelivery._id,
      operatorId: api.practice.staff._id,
      apiKeyId: await key(),
      ...(await createReadOnlyRecords(api.practice, patient._id)),
      eventId: (await logEvents(api, api.practice, ['patient.created']))[0] ?? '',
    };
  });
  afterAll(async () => {
    await api.close();
    await proxy.close();
  });

  test('every route returns 503 during the fault, never 500', async () => {
    await api.call('POST', '/api/sessions/current/confirm', {
      as: administrator,
      body: { password: api.practice.administrator.password },
    });
    const problems: string[] = [];
    for (const route of api.app.routeList.filter(({ method }) => method !== 'HEAD')) {
      problems.push(...(await problemsOf(route, fault)));
    }
    expect(problems).toEqual([]);
    expect(api.logs.filter((line) => line.includes('"statusCode":500'))).toEqual([]);
  });
});
