import { quickPasswords } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApi, type TestApi } from './api.ts';
import { openSuccessfulCalls, type SuccessfulCalls } from './successful-calls.ts';

/*
 * The test makes a successful call of every route that needs credentials, except HEAD routes and routes with data of
 * patients. The call must leave an audit entry, or the route must be in this list with a reason.
 * audit-every-route.service.test.ts tests the routes with data of patients.
 */
const NO_ENTRY: Readonly<Record<string, string>> = {
  'GET /api/apikeys': 'it returns no secret and no data of a patient',
  'GET /api/apikeys/:apiKeyId': 'it returns no secret and no data of a patient',
  'GET /api/apikeys/current': 'it returns no secret and no data of a patient',
  'GET /api/availability': 'it returns times without appointments',
  'GET /api/calendarblocks': 'it is a setting of the practice',
  'GET /api/calendarblocks/:calendarBlockId': 'it is a setting of the practice',
  'GET /api/clinics/:clinicId/openinghours': 'it is a setting of the practice',
  'GET /api/procedures': 'it is a setting of the practice',
  'GET /api/procedures/:procedureId': 'it is a setting of the practice',
  'GET /api/providers': 'it is a setting of the practice',
  'GET /api/providers/:providerId': 'it is a setting of the practice',
  'GET /api/clinics': 'it is about practices',
  'GET /api/clinics/:clinicId': 'it is about practices',
  'GET /api/connections': 'it returns no token and no data of a patient',
  'GET /api/notices': 'it returns ids and times',
  'GET /api/sessions/current/notices': 'it is about what the caller wants to be told',
  'GET /api/organization': 'it is about who needs a factor',
  'GET /api/operators': 'it returns no password and no data of a patient',
  'GET /api/operators/:operatorId': 'it returns no password and no data of a patient',
  'GET /api/operators/:operatorId/sessions': 'it returns no token and no data of a patient',
  'GET /api/servicestatus': 'it returns numbers',
  'GET /api/sessions': 'it is about the own sessions of the caller',
  'GET /api/sessions/current': 'it is about the own session of the caller',
  'GET /api/sessions/current/factors': 'it returns no secret of the own factors',
  'POST /api/sessions/current/factors/codes': 'it has no effect until the first code',
  'POST /api/sessions/current/factors/passkeys': 'it has no effect until the passkey is there',
  'GET /api/sessions/current/tokens': 'it returns no token and no data of a patient',
  'POST /api/clinics/:clinicId/openinghours/preview':
    'it stores nothing, and returns times without appointments',
  'GET /api/webhookdeliveries': 'its rows have no bodies; a read of one delivery leaves an entry',
  'GET /api/webhookstatistics': 'it returns numbers',
  'GET /api/webhooksubscriptions': 'it returns no secret and no data of a patient',
  'GET /api/webhooksubscriptions/:webhookSubscriptionId': 'it returns no secret and no data of a patient',
  'GET /api/webhooksubscriptions/:webhookSubscriptionId/deliveries':
    'its rows have no bodies; a read of one delivery leaves an entry',
  'GET /api/webhooksubscriptions/:webhookSubscriptionId/redeliveries': 'it returns numbers',
  'GET /api/webhooksubscriptions/:webhookSubscriptionId/redeliveries/:redeliveryId': 'it returns numbers',
};
/** The paths whose data belongs to patients. */
const RECORDS = /^\/api\/(batch|patients|appointments|invoices|payments|treatments|events)\b/;
/** The entries of these routes must contain the URL that data is sent to. */
const SENDS_OUT = /^POST .*\/(test|redeliver)$|^POST \/api\/webhooksubscriptions$/;

let api: TestApi;
let calls: SuccessfulCalls;
beforeAll(async () => {
  api = await openTestApi([], [], { passwords: quickPasswords });
  calls = await openSuccessfulCalls(api);
});
afterAll(() => api.close());

/** The problems of an entry. It must say who did what and, for the routes of `SENDS_OUT`, where data is sent to. */
const faultsOf = (route: string, { principal, ids, changes }: Record<string, any>): string[] => {
  const mustNameHost = SENDS_OUT.test(route);
  return [
    ...(principal?.id === undefined ? [`${route}: the entry does not say who`] : []),
    ...(Array.isArray(ids) ? [] : [`${route}: the entry does not say what`]),
    ...(mustNameHost && !JSON.stringify(changes ?? []).includes('"url"')
      ? [`${route}: the entry does not say where to`]
      : []),
  ];
};

test('every route with credentials leaves an audit entry, or has a reason to leave none', async () => {
  const problems: string[] = [];
  const silent: string[] = [];
  for (const { method, url, access } of api.app.routeList) {
    const route = `${method} ${url}`;
    if (method === 'HEAD' || access === 'public' || RECORDS.test(url)) continue;
    const call = await calls.prepare(method, url);
    const response = await call();
    if (response.status >= 400) problems.push(`${route}: ${response.status} ${response.text}`);
    const requestId = response.headers.get('x-request-id') ?? '';
    const entries = await api.database.collection('auditEntries').find({ requestId }).toArray();
    if (entries.length === 0) silent.push(route);
    problems.push(...entries.flatMap((entry) => faultsOf(route, entry)));
  }
  expect(problems).toEqual([]);
  expect(silent.toSorted()).toEqual(Object.keys(NO_ENTRY).toSorted());
});
