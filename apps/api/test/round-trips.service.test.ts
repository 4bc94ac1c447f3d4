import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { callerOf, openTestApi, type TestApi, token } from './api.ts';
import { logEvents } from './logged-events.ts';
import { createReadOnlyRecords, createSettings } from './read-only-records.ts';

let api: TestApi;
let as: string;
let clinicId: string;
let ids: Record<string, string>;
/** When the preparations had ended, on the monotonic clock. */
let standing: number;

beforeAll(async () => {
  api = await openTestApi();
  as = token(api.practice.administrator.token);
  [clinicId] = api.practice.clinicIds;
  const body = { clinicId, externalId: 'pms:1' };
  const patient = await api.call('POST', '/api/patients', { as, body });
  const appointment = await api.call('POST', '/api/appointments', { as, body });
  const subscription = await api.call('POST', '/api/webhooksubscriptions', {
    as,
    body: { clinicId, url: 'https://example.com' },
  });
  const key = await api.call('POST', '/api/apikeys', { as, body: { name: 'read' } });
  const delivery = await api.call('POST', `/api/webhooksubscriptions/${subscription.json._id}/test`, { as });
  ids = {
    externalId: 'pms:1',
    patientId: patient.json._id,
    appointmentId: appointment.json._id,
    webhookSubscriptionId: subscription.json._id,
    webhookDeliveryId: delivery.json._id,
    apiKeyId: key.json._id,
    operatorId: api.practice.staff._id,
    ...(await createReadOnlyRecords(api.practice, patient.json._id)),
    ...(await createSettings(api.database, api.practice)),
    eventId: (await logEvents(api, api.practice, ['patient.created']))[0] ?? '',
  };
  standing = performance.now();
});
afterAll(() => api.close());
// The clock stands still, because the cache of clinics reads it, and the session, whose use is stored once a minute. On a
// busy machine, a second may pass between two calls, and a minute in all tests.
beforeEach(async () => {
  vi.spyOn(performance, 'now').mockReturnValue(standing);
  // Suspended organizations are read twice a second, for all requests together.
  await api.call('GET', '/api/clinics', { as });
});
afterEach(() => vi.restoreAllMocks());

/**
 * The commands that one call sends to the database, in order. The first two look up the access token and its
 * operator.
 */
const commandsOf = async (
  method: string,
  path: string,
  body?: object,
  headers = {},
  by = as,
): Promise<string[]> => {
  api.commands.length = 0;
  const { status } = await api.call(method, path, { as: by, headers, ...(body && { body }) });
  expect({ method, path, status }).toEqual({ method, path, status: 200 });
  return [...api.commands];
};

test('each reading route makes the minimum of round trips', async () => {
  const table: Record<string, string> = {};
  for (const { method, url, access } of api.app.routeList) {
    if (method !== 'GET' || url.endsWith('redeliveryId') || !url.startsWith('/api/')) continue;
    const search = { clinicId, from: '2030-01-07', to: '2030-01-07', durationMinutes: '30' };
    const query = url === '/api/availability' ? `?${new URLSearchParams(search)}` : '';
    const path = url.replace(/:(\w+)/g, (_all, parameter) => ids[parameter] ?? '') + query;
    // That the clinic exists is remembered for a second, however long the routes before took.
    await api.practice.store.clinics.exists(clinicId);
    // Sorted, because some of them are sent at once and arrive in any order.
    table[url] = (await commandsOf(method, path, undefined, {}, callerOf(api, access, as))).sort().join(' ');
  }
  expect(table).toMatchSnapshot();
});

test('a write is one round trip, after authentication and its references; a clinic is cached for a second', async () => {
  // This call caches the clinic.
  await api.call('POST', '/api/patients', { as, body: { clinicId } });
  expect(await commandsOf('POST', '/api/patients', { clinicId })).toEqual(['find', 'find', 'insert']);
  expect(await commandsOf('PUT', `/api/patients/${ids.patientId}`, { name: 'x' })).toEqual([
    'find',
    'find',
    'find',
    'update',
  ]);
  await api.call('POST', '/api/patients', { as, body: { clinicId } });
  expect(await commandsOf('POST', '/api/appointments', { clinicId, patientId: ids.patientId })).toEqual([
    'find',
    'find',
    'find',
    'insert',
  ]);
  expect(await commandsOf('DELETE', `/api/appointments/${ids.appointmentId}`)).toEqual([
    'find',
    'find',
    'find',
    'update',
  ]);
});

test('an Idempotency-Key adds two round trips', async () => {
  await api.call('POST', '/api/patients', { as, body: { clinicId } });
  const headers = { 'idempotency-key': 'counted' };
  expect(await commandsOf('POST', '/api/patients', { clinicId }, headers)).toEqual([
    'find',
    'find',
    'insert',
    'insert',
    'update',
  ]);
});
