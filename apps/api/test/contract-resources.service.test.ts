import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { token } from './api.ts';
import {
  type ContractPractice,
  dateTime,
  identifier,
  openContractPractice,
  patient,
  procedures,
} from './contract-practice.ts';

/* The chapter "Resources and their fields" of the service description. */
let api: ContractPractice;
beforeAll(async () => {
  api = await openContractPractice();
});
afterAll(() => api.close());

const one = () => `/api/appointments/${api.appointmentId}`;

describe('Resources and their fields', () => {
  const statusOf = async (method: string, path: string, body: unknown) =>
    (await api.call(method, path, { body })).status;

  test('Identifiers are strings, with minimum length 1 where marked.', async () => {
    for (const wrong of ['', 7, null]) {
      const body = { clinicId: wrong };
      expect(await statusOf('POST', '/api/patients', body)).toBe(400);
      expect(await statusOf('POST', '/api/appointments', body)).toBe(400);
      expect(await statusOf('PUT', one(), { _id: wrong })).toBe(400);
      expect(await statusOf('PUT', one(), { procedures: [{ procedureId: wrong }] })).toBe(400);
    }
    for (const wrong of ['', 7]) {
      expect(await statusOf('PUT', one(), { patientId: wrong })).toBe(400);
      expect(await statusOf('PUT', one(), { procedures: [{ _id: wrong, procedureId: 'p' }] })).toBe(400);
    }
  });

  test.each(['2030-03-01T09:00:00Z', '2030-03-01T09:00:00.5Z', '2030-03-01T10:00:00+01:00'])(
    'Timestamps are ISO 8601 date-time strings: %s',
    async (startTime) => {
      const body = { clinicId: api.clinicId, startTime };
      const created = await api.ok('POST', '/api/appointments', body);
      expect(created.startTime).toEqual(dateTime);
      expect(Date.parse(created.startTime)).toBe(Date.parse(startTime));
    },
  );

  test.each([['2030-03-01'], ['tomorrow'], [1_900_000_000]])(
    'Timestamps are ISO 8601 date-time strings: not %s',
    async (startTime) => {
      const body = { clinicId: api.clinicId, startTime };
      expect(await statusOf('POST', '/api/appointments', body)).toBe(400);
    },
  );

  test.each([
    ['_id', identifier],
    ['clinicId', identifier],
    ['patientId', identifier],
    ['startTime', dateTime],
    ['endTime', dateTime],
    ['status', expect.stringMatching(/^(REQUESTED|SCHEDULED|PATIENT_ARRIVED|NO_SHOW|CANCELED)$/)],
    ['procedures', procedures],
    ['reminders', [{ hoursBefore: 24 }]],
    ['lastEditTime', dateTime],
  ])('Appointment | %s', async (field, value) => {
    expect((await api.ok('GET', one()))[field]).toEqual(value);
    const listed = await api.ok('GET', `/api/appointments?fields=${field}`);
    expect(listed.some((row: any) => row[field] !== undefined)).toBe(true);
  });

  test('Appointment | clinicId | owning clinic', async () => {
    expect((await api.ok('GET', one())).clinicId).toBe(api.clinicId);
  });

  test.each([['DONE'], ['scheduled'], ['']])('Appointment | status | one of …: not "%s"', async (status) => {
    expect(await statusOf('PUT', one(), { status })).toBe(400);
  });

  test('Appointment | reminders | array of objects: items are plain objects', async () => {
    for (const wrong of [['text'], [7], [[]], {}, 'text']) {
      expect(await statusOf('PUT', one(), { reminders: wrong })).toBe(400);
    }
    const reminders = [{}, { a: { b: [1, 'two', null, true] } }];
    expect((await api.ok('PUT', one(), { reminders })).reminders).toEqual(reminders);
    await api.ok('PUT', one(), { reminders: [{ hoursBefore: 24 }] });
  });

  test.each([
    ['_id', 'a', 7],
    ['procedureId', 'p', 7],
    ['name', 'Check-up', 7],
    ['price (number)', 45.5, true],
    ['price (string)', '45.50', {}],
  ])('Procedure entry | %s', async (row, value, wrong) => {
    const field = row.split(' ')[0] ?? '';
    const entry = { _id: 'a', procedureId: 'p', name: 'n', price: 1 };
    const change = (to: unknown) => ({ procedures: [{ ...entry, [field]: to }] });
    const { _id } = await api.ok('POST', '/api/appointments', { clinicId: api.clinicId });
    const path = `/api/appointments/${_id}`;
    expect((await api.ok('PUT', path, change(value))).procedures).toEqual([{ ...entry, [field]: value }]);
    expect((await api.ok('GET', path)).procedures[0][field]).toBe(value);
    expect(await statusOf('PUT', path, change(wrong))).toBe(400);
  });

  test.each([
    ['_id', identifier],
    ['name', 'Described'],
    ['currency', 'EUR'],
    ['defaultLocale', 'de-DE'],
    ['timezone', 'Europe/Berlin'],
    ['lastEditTime', dateTime],
  ])('Clinic | %s', async (field, value) => {
    const clinics = await api.ok('GET', '/api/clinics');
    const described = clinics.find(({ _id }: { _id: string }) => _id === api.clinicId);
    expect(described[field]).toEqual(value);
  });

  test.each([
    ['_id', identifier],
    ['clinicId', identifier],
    ['name', patient.name],
    ['email', patient.email],
    ['phone', patient.phone],
    ['language', patient.language],
    ['lastEditTime', dateTime],
  ])('Patient | %s', async (field, value) => {
    const { _id } = await api.ok('POST', '/api/patients', { clinicId: api.clinicId, ...patient });
    expect((await api.ok('GET', `/api/patients/${_id}`))[field]).toEqual(value);
    expect((await api.ok('GET', `/api/patients?_ids=${_id}`))[0][field]).toEqual(value);
    expect(await statusOf('PUT', `/api/patients/${_id}`, { [field]: 7 })).toBe(400);
  });

  test.each([['nobody'], ['a@'], ['@example.com'], ['a b@example.com']])(
    'Patient | email | string, format email: not "%s"',
    async (email) => {
      expect(await statusOf('PUT', `/api/patients/${api.patientId}`, { email })).toBe(400);
    },
  );

  test.each([
    ['_id', identifier],
    ['clinicId', identifier],
    ['patientId', identifier],
    ['number', expect.toBeOneOf(['R-1', 2])],
    ['total', 99.9],
    ['currency', 'EUR'],
    ['status', expect.any(String)],
    ['creationTime', dateTime],
  ])('Invoice | %s', async (field, value) => {
    const invoices = await api.ok('GET', '/api/invoices');
    for (const invoice of invoices) expect(invoice[field]).toEqual(value);
  });

  test('Invoice | number | integer or string', async () => {
    const invoices = await api.ok('GET', '/api/invoices');
    expect(new Set(invoices.map(({ number }: { number: unknown }) => number))).toEqual(new Set(['R-1', 2]));
  });

  const administrator = () => token(api.practice.administrator.token);
  const subscriptions = '/api/webhooksubscriptions';
  const subscribe = (fields: object = {}) => {
    const body = { clinicId: api.clinicId, url: 'https://example.com/hook', ...fields };
    return api.ok('POST', subscriptions, body, administrator());
  };
  const statusAs = async (method: string, path: string, body: object) =>
    (await api.call(method, path, { body, as: administrator() })).status;

  test('Webhook subscription | clinicId | required on create; immutable afterwards', async () => {
    const { _id, clinicId } = await subscribe();
    expect(clinicId).toBe(api.clinicId);
    expect(await statusAs('POST', subscriptions, { url: 'https://example.com' })).toBe(400);
    const moved = { clinicId: api.practice.clinicIds[0] };
    expect(await statusAs('PUT', `${subscriptions}/${_id}`, moved)).toBe(400);
  });

  test('Webhook subscription | url | required on create; editable', async () => {
    const { _id, url } = await subscribe();
    expect(url).toBe('https://example.com/hook');
    expect(await statusAs('POST', subscriptions, { clinicId: api.clinicId })).toBe(400);
    const changed = { url: 'https://example.org/other' };
    expect(await api.ok('PUT', `${subscriptions}/${_id}`, changed, administrator())).toMatchObject(changed);
  });

  test('Webhook subscription | events | editable; an empty array subscribes to all events', async () => {
    const { _id, events } = await subscribe({ events: [] });
    expect(events).toEqual([]);
    for (const changed of [{ events: ['patient.created', 'appointment.deleted'] }, { events: [] }]) {
      expect(await api.ok('PUT', `${subscriptions}/${_id}`, changed, administrator())).toMatchObject(changed);
    }
  });

  test('Webhook subscription | active | editable', async () => {
    const { _id, active } = await subscribe();
    expect(active).toBe(true);
    for (const changed of [{ active: false }, { active: true }]) {
      expect(await api.ok('PUT', `${subscriptions}/${_id}`, changed, administrator())).toMatchObject(changed);
    }
    expect(await statusAs('PUT', `${subscriptions}/${_id}`, { active: 'yes' })).toBe(400);
  });

  test('Webhook subscription | secret | returned only by create; never returned by list or update; immutable', async () => {
    const { _id, secret } = await subscribe();
    expect(secret).toEqual(identifier);
    const updated = await api.ok('PUT', `${subscriptions}/${_id}`, { active: true }, administrator());
    const list = await api.ok('GET', subscriptions, undefined, administrator());
    const deleted = await api.ok('DELETE', `${subscriptions}/${_id}`, undefined, administrator());
    for (const other of [updated, list, deleted]) {
      expect(JSON.stringify(other)).not.toContain(secret);
      expect(JSON.stringify(other)).not.toContain('secret');
    }
    const again = await subscribe();
    for (const wrong of ['mine', again.secret]) {
      expect(await statusAs('PUT', `${subscriptions}/${again._id}`, { secret: wrong })).toBe(400);
    }
  });
});
