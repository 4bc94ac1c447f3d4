import { type EventName, newId, type Scope } from '@chairside/domain';
import { createKey } from '@chairside/test-support';
import { expect } from 'vitest';
import { type CallOptions, openTestApi, type TestApi } from './api.ts';

/*
 * Shared by contract-*.service.test.ts. Each of these files covers one or more chapters of the service description. It has a
 * test for each sentence and each table row that a client can observe, and the test name quotes the description. The
 * tests of the chapter on events, and of the rules that only a subscriber can observe, are in
 * apps/demo/test/contract-events.release.test.ts.
 */

/** The api with a clinic, and with records that have a value in every described field. */
export type ContractPractice = TestApi & {
  clinicId: string;
  patientId: string;
  appointmentId: string;
  /** Makes a call that must succeed. @returns the body of the response */
  ok(method: string, path: string, body?: object, as?: string): Promise<any>;
  /** Creates an API key with these scopes. @returns its Authorization header */
  keyWith(scopes: readonly Scope[], rateLimit?: number): Promise<string>;
};

export const dateTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
export const identifier = expect.stringMatching(/./);

export const patient = { name: 'Ada', email: 'ada@example.com', phone: '+49 30 1', language: 'de' };
export const times = { startTime: '2030-03-01T09:00:00Z', endTime: '2030-03-01T09:30:00Z' };
export const procedures = [
  { _id: 'a', procedureId: 'p', name: 'Check-up', price: 45.5 },
  { _id: 'b', procedureId: 'p', name: 'Filling', price: '120.00' },
];

/** The record endpoints of the description, each with its scope and its event. */
export const endpoints: readonly [method: string, path: string, scope: Scope, event: EventName | 'none'][] = [
  ['GET', '/api/appointments', 'appointments:read', 'none'],
  ['POST', '/api/appointments', 'appointments:write', 'appointment.created'],
  ['GET', '/api/appointments/{appointmentId}', 'appointments:read', 'none'],
  ['PUT', '/api/appointments/{appointmentId}', 'appointments:write', 'appointment.updated'],
  ['DELETE', '/api/appointments/{appointmentId}', 'appointments:write', 'appointment.deleted'],
  ['GET', '/api/clinics', 'clinics:read', 'none'],
  ['GET', '/api/invoices', 'invoices:read', 'none'],
  ['GET', '/api/payments', 'payments:read', 'none'],
  ['GET', '/api/treatments', 'treatments:read', 'none'],
  ['GET', '/api/patients', 'patients:read', 'none'],
  ['POST', '/api/patients', 'patients:write', 'patient.created'],
  ['GET', '/api/patients/{patientId}', 'patients:read', 'none'],
  ['PUT', '/api/patients/{patientId}', 'patients:write', 'patient.updated'],
  ['DELETE', '/api/patients/{patientId}', 'patients:write', 'patient.deleted'],
];

/** The operators' endpoints of the description. */
export const operatorEndpoints: readonly [method: string, path: string][] = [
  ['GET', '/api/webhooksubscriptions'],
  ['POST', '/api/webhooksubscriptions'],
  ['PUT', '/api/webhooksubscriptions/{webhookSubscriptionId}'],
  ['DELETE', '/api/webhooksubscriptions/{webhookSubscriptionId}'],
];

const KINDS: Readonly<Record<string, string>> = { patients: 'patient', appointments: 'appointment' };

/** The write of a batch that is like a single call; undefined for other calls. */
const writeOf = (method: string, path: string, { body, headers = {} }: CallOptions): object | undefined => {
  const [, list = '', _id, more] = /^\/api\/(\w+)(?:\/(\w+))?(.*)$/.exec(path) ?? [];
  const kind = KINDS[list];
  const sent = typeof body === 'object' && !Array.isArray(body) ? { body } : undefined;
  const others = Object.keys(headers).filter((name) => name !== 'if-match');
  if (kind === undefined || more !== '' || others.length > 0) return undefined;
  const ifMatch = headers['if-match'] !== undefined && { ifMatch: headers['if-match'] };
  if (method === 'POST' && _id === undefined && sent) return { method: 'create', kind, ...sent };
  if (method === 'PUT' && sent) return { method: 'update', kind, _id, ...ifMatch, ...sent };
  return method === 'DELETE' ? { method: 'delete', kind, _id, ...ifMatch } : undefined;
};

/** The same api, whose writes of patients and appointments are sent in batches. */
const throughBatches = (api: TestApi): TestApi => ({
  ...api,
  async call(method, path, options = {}) {
    const write = writeOf(method, path, options);
    if (write === undefined) return api.call(method, path, options);
    const { as } = options;
    const sent = { body: { writes: [write] }, ...(as !== undefined && { as }) };
    const response = await api.call('POST', '/api/batch', sent);
    if (response.status !== 200) return response;
    const [{ status, record, error }] = response.json.results;
    const json = record ?? error;
    return { ...response, status, json, text: JSON.stringify(json) };
  },
});

/** @param by how patients and appointments are written */
export const openContractPractice = async (
  by: 'single calls' | 'batches' = 'single calls',
): Promise<ContractPractice> => {
  const opened = await openTestApi();
  const api = by === 'batches' ? throughBatches(opened) : opened;
  const { store } = api.practice;
  const time = new Date().toISOString();
  const clinicId = newId();
  const more = { currency: 'EUR', timezone: 'Europe/Berlin', defaultLocale: 'de-DE', lastEditTime: time };
  await store.clinics.create({ _id: clinicId, name: 'Described', ...more });

  const ok: ContractPractice['ok'] = async (method, path, body, as) => {
    const options = { ...(body !== undefined && { body }), ...(as !== undefined && { as }) };
    const { status, json, headers } = await api.call(method, path, options);
    expect({ method, path, status }).toEqual({ method, path, status: 200 });
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    return json;
  };

  const { _id: patientId } = await ok('POST', '/api/patients', { clinicId, ...patient });
  const { _id: appointmentId } = await ok('POST', '/api/appointments', { clinicId, patientId, ...times });
  await ok('PUT', `/api/appointments/${appointmentId}`, { procedures, reminders: [{ hoursBefore: 24 }] });

  const common = { clinicId, patientId, currency: 'EUR', creationTime: time, lastEditTime: time };
  const invoice = { ...common, total: 99.9, status: 'OPEN' as const };
  await store.invoices.create({ ...invoice, _id: newId(), number: 'R-1' });
  await store.invoices.create({ ...invoice, _id: newId(), number: 2 });
  await store.payments.create({
    ...common,
    _id: newId(),
    amount: 99.9,
    method: 'CARD',
    status: 'COMPLETED',
  });
  await store.treatments.create({
    ...common,
    _id: newId(),
    procedureId: 'p',
    name: 'Filling',
    teeth: ['11'],
    surfaces: ['O'],
    status: 'COMPLETED',
    price: 80,
  });

  return {
    ...api,
    clinicId,
    patientId,
    appointmentId,
    ok,
    async keyWith(scopes, rateLimit = 1000) {
      const { secret } = await createKey(store, { name: 'x', scopes: [...scopes], rateLimit }, new Date());
      return `Basic ${Buffer.from(secret).toString('base64')}`;
    },
  };
};
