import { newId } from '@chairside/domain';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from './api.ts';

/*
 * Walks the service description: a test for each sentence that a client can see, with the sentence as its name.
 * It knows nothing that the description does not say.
 */
let api: TestApi;
let clinicId: string;
let patientId: string;
beforeAll(async () => {
  api = await openTestApi();
  [clinicId] = api.practice.clinicIds;
  const patient = await api.call('POST', '/api/patients', {
    body: { clinicId, name: 'Ada', email: 'ada@example.com', phone: '+49 30 1' },
  });
  patientId = patient.json._id;
  const time = new Date().toISOString();
  const common = { clinicId, patientId, currency: 'EUR', creationTime: time, lastEditTime: time };
  const { store } = api.practice;
  await store.invoices.create({ ...common, _id: newId(), number: 'R-1', total: 99.9, status: 'OPEN' });
  await store.payments.create({ ...common, _id: newId(), amount: 99.9, method: 'CARD', status: 'COMPLETED' });
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
});
afterAll(() => api.close());

const dateTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
const identifier = expect.stringMatching(/./);
const ok = async (method: string, path: string, body?: object, as?: string) => {
  const options = { ...(body !== undefined && { body }), ...(as !== undefined && { as }) };
  const { status, json, headers } = await api.call(method, path, options);
  expect({ path, status }).toEqual({ path, status: 200 });
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  return json;
};

describe('What the service does', () => {
  test('Every request acts within one organization; the organization is never sent in a request.', async () => {
    const { status } = await api.call('GET', '/api/patients?organizationId=1');
    expect(status).toBe(400);
  });

  test('A record owned by another organization behaves as if it does not exist (404).', async () => {
    const as = token(api.stranger.administrator.token);
    expect((await api.call('GET', `/api/patients/${patientId}`, { as })).status).toBe(404);
  });
});

describe('Appointments', () => {
  const fields = {
    startTime: '2030-03-01T09:00:00Z',
    endTime: '2030-03-01T09:30:00Z',
  };
  const appointment = {
    _id: identifier,
    clinicId: expect.any(String),
    status: expect.stringMatching(/^(REQUESTED|SCHEDULED|PATIENT_ARRIVED|NO_SHOW|CANCELED)$/),
    procedures: expect.any(Array),
    reminders: expect.any(Array),
    lastEditTime: dateTime,
  };

  test('POST /api/appointments: clinicId (string, required), patientId, startTime, endTime (strings, optional)', async () => {
    expect(await ok('POST', '/api/appointments', { clinicId })).toEqual(appointment);
    const created = await ok('POST', '/api/appointments', { clinicId, patientId, ...fields });
    expect(created).toEqual({ ...appointment, patientId, startTime: dateTime, endTime: dateTime });
    expect((await api.call('POST', '/api/appointments', { body: fields })).status).toBe(400);
  });

  test('GET /api/appointments: clinicId, patientId, startTime, endTime, fields (comma-separated projection)', async () => {
    const query = `clinicId=${clinicId}&patientId=${patientId}&startTime=2030-01-01T00:00:00Z&endTime=2031-01-01T00:00:00Z`;
    const [found, ...others] = await ok('GET', `/api/appointments?${query}&fields=_id,startTime`);
    expect(others).toEqual([]);
    expect(found).toEqual({ _id: identifier, startTime: dateTime });
  });

  test('PUT with optional fields _id, clinicId, patientId, startTime, endTime, status, procedures, reminders, lastEditTime', async () => {
    const created = await ok('POST', '/api/appointments', { clinicId, patientId, ...fields });
    const path = `/api/appointments/${created._id}`;
    const procedures = [{ _id: 'a', procedureId: 'p', name: 'Check-up', price: 45 }];
    const body = { ...created, status: 'NO_SHOW', procedures, reminders: [{ anything: { goes: true } }] };
    const updated = await ok('PUT', path, body);
    expect(updated).toEqual({ ...body, lastEditTime: dateTime });
    expect(await ok('GET', path)).toEqual(updated);
  });

  test.each(['REQUESTED', 'SCHEDULED', 'PATIENT_ARRIVED', 'NO_SHOW', 'CANCELED'])(
    'The status is settable through the update operation: %s',
    async (status) => {
      const { _id } = await ok('POST', '/api/appointments', { clinicId });
      expect((await ok('PUT', `/api/appointments/${_id}`, { status })).status).toBe(status);
    },
  );

  test('price: number or string', async () => {
    const procedures = [
      { _id: 'a', procedureId: 'p', name: 'n', price: 12.5 },
      { _id: 'b', procedureId: 'p', name: 'n', price: '12.50' },
    ];
    const { _id } = await ok('POST', '/api/appointments', { clinicId });
    expect((await ok('PUT', `/api/appointments/${_id}`, { procedures })).procedures).toEqual(procedures);
  });

  test('DELETE /api/appointments/{appointmentId}: 200 the deleted Appointment', async () => {
    const created = await ok('POST', '/api/appointments', { clinicId });
    expect(await ok('DELETE', `/api/appointments/${created._id}`)).toEqual({
      ...created,
      lastEditTime: dateTime,
    });
    expect((await api.call('GET', `/api/appointments/${created._id}`)).status).toBe(404);
  });
});

describe('Clinics, invoices, payments, treatments', () => {
  test('GET /api/clinics: 200 array of Clinic', async () => {
    const [clinic] = await ok('GET', '/api/clinics');
    expect(clinic).toMatchObject({
      _id: identifier,
      name: expect.any(String),
      currency: 'EUR',
      lastEditTime: dateTime,
    });
  });

  test('GET /api/invoices, query (optional strings): clinicId, patientId', async () => {
    const [invoice] = await ok('GET', `/api/invoices?clinicId=${clinicId}&patientId=${patientId}`);
    expect(invoice).toMatchObject({
      _id: identifier,
      clinicId,
      patientId,
      number: 'R-1',
      total: 99.9,
      currency: 'EUR',
      status: expect.any(String),
      creationTime: dateTime,
    });
    expect(await ok('GET', '/api/invoices?patientId=another')).toEqual([]);
  });

  test('GET /api/payments, query (optional strings): clinicId, patientId', async () => {
    expect(await ok('GET', `/api/payments?clinicId=${clinicId}&patientId=${patientId}`)).toHaveLength(1);
    expect(await ok('GET', '/api/payments?clinicId=another')).toEqual([]);
  });

  test('GET /api/treatments: 200 array of treatments', async () => {
    expect(await ok('GET', '/api/treatments')).toHaveLength(1);
  });
});

describe('Patients', () => {
  test('POST /api/patients: clinicId (string, required), name, email, phone (strings, optional)', async () => {
    const sent = { clinicId, name: 'Bea', email: 'bea@example.com', phone: '1' };
    expect(await ok('POST', '/api/patients', sent)).toEqual({
      ...sent,
      _id: identifier,
      lastEditTime: dateTime,
    });
    expect(await ok('POST', '/api/patients', { clinicId })).toEqual({
      _id: identifier,
      clinicId,
      lastEditTime: dateTime,
    });
    expect((await api.call('POST', '/api/patients', { body: { name: 'Bea' } })).status).toBe(400);
  });

  test('GET /api/patients, query: clinicId, email, _ids (comma-separated patient ids), fields (projection)', async () => {
    const query = `clinicId=${clinicId}&email=ada@example.com&_ids=${patientId},other&fields=name`;
    expect(await ok('GET', `/api/patients?${query}`)).toEqual([{ _id: patientId, name: 'Ada' }]);
  });

  test('PUT with optional fields _id, clinicId, name, email (email format), phone, language, lastEditTime', async () => {
    const before = await ok('GET', `/api/patients/${patientId}`);
    const body = { ...before, name: 'Ada B.', language: 'de' };
    expect(await ok('PUT', `/api/patients/${patientId}`, body)).toEqual({ ...body, lastEditTime: dateTime });
    expect((await api.call('PUT', `/api/patients/${patientId}`, { body: { email: 'no' } })).status).toBe(400);
  });

  test('DELETE /api/patients/{patientId}: 200 the deleted Patient', async () => {
    const created = await ok('POST', '/api/patients', { clinicId, name: 'Cleo' });
    expect(await ok('DELETE', `/api/patients/${created._id}`)).toEqual({
      ...created,
      lastEditTime: dateTime,
    });
  });
});

describe('Webhook subscriptions (operator access token only; API keys are not accepted)', () => {
  const path = '/api/webhooksubscriptions';
  const administrator = () => token(api.practice.administrator.token);

  test('POST: the created subscription including its secret, returned this once and never retrievable again', async () => {
    const body = { clinicId, url: 'https://example.com/hook', events: [] };
    const created = await ok('POST', path, body, administrator());
    expect(created).toMatchObject({ ...body, active: true, secret: identifier });
    const list = await ok('GET', path, undefined, administrator());
    expect(JSON.stringify(list)).not.toContain(created.secret);
  });

  test('PUT: editable fields url, events, active; secret and clinic cannot change', async () => {
    const { _id } = await ok('POST', path, { clinicId, url: 'https://example.com' }, administrator());
    const changes = { url: 'https://example.org/', events: ['patient.created'], active: false };
    const updated = await ok('PUT', `${path}/${_id}`, changes, administrator());
    expect(updated).toMatchObject(changes);
    expect(updated).not.toHaveProperty('secret');
    for (const body of [{ secret: 'x' }, { clinicId: api.practice.clinicIds[1] }]) {
      const { status } = await api.call('PUT', `${path}/${_id}`, { body, as: administrator() });
      expect(status).toBe(400);
    }
    expect((await ok('PUT', `${path}/${_id}`, { active: true }, administrator())).active).toBe(true);
    await ok('DELETE', `${path}/${_id}`, undefined, administrator());
  });

  test('API keys are not accepted', async () => {
    expect((await api.call('GET', path)).status).toBe(403);
  });
});

describe('Authentication', () => {
  test('Basic <base64 of the key secret>; Token <ACCESS_TOKEN>: the record endpoints accept either', async () => {
    await ok('GET', '/api/patients');
    await ok('GET', '/api/patients', undefined, token(api.practice.staff.token));
  });

  test.each([
    ['/api/appointments', 'appointments:read'],
    ['/api/clinics', 'clinics:read'],
    ['/api/invoices', 'invoices:read'],
    ['/api/patients', 'patients:read'],
    ['/api/payments', 'payments:read'],
    ['/api/treatments', 'treatments:read'],
  ])('GET %s needs the scope %s; without it the response is 403', async (path, scope) => {
    const { store } = api.practice;
    const keyWith = async (name: string, scopes: string[]) => {
      const { secret } = await store.apiKeys.create(
        { name, scopes: scopes as never, rateLimit: 100 },
        new Date(),
      );
      return `Basic ${Buffer.from(secret).toString('base64')}`;
    };
    await ok('GET', path, undefined, await keyWith('with', [scope]));
    expect((await api.call('GET', path, { as: await keyWith('without', []) })).status).toBe(403);
  });

  test('When credentials are missing or invalid, the response is 401.', async () => {
    for (const as of ['', 'Basic bm9uZQ==', 'Token none']) {
      expect((await api.call('GET', '/api/patients', { as })).status).toBe(401);
    }
  });
});

describe('Errors', () => {
  test('Error body: message string; name string; statusCode integer; details object', async () => {
    const failures = [
      api.call('GET', '/api/patients', { as: '' }),
      api.call('GET', '/api/patients/none'),
      api.call('GET', '/nowhere'),
      api.call('POST', '/api/patients', { body: '{' }),
      api.call('POST', '/api/patients', { body: {} }),
      api.call('POST', '/api/patients', { body: 'text', headers: { 'content-type': 'text/plain' } }),
      api.call('POST', '/api/patients', { body: { name: 'x'.repeat(300_000) } }),
      api.call('PATCH', '/api/patients'),
    ];
    const answers = await Promise.all(failures);
    expect(answers.map(({ status }) => status)).toEqual([401, 404, 404, 400, 400, 415, 413, 405]);
    for (const { status, json } of answers) {
      expect(json).toEqual({
        message: expect.any(String),
        name: expect.any(String),
        statusCode: status,
        details: expect.objectContaining({ requestId: expect.any(String) }),
      });
    }
  });
});

describe('hostile bodies are refused clearly and never stored', () => {
  test.each([
    ['broken JSON', '{"clinicId":', 400],
    ['a NUL byte', '{"clinicId":"\u0000"}', 400],
    ['an escaped NUL', '{"clinicId":"a","name":"\\u0000"}', 400],
    ['a lone surrogate', '{"clinicId":"a","name":"\\ud800"}', 400],
    ['__proto__', '{"clinicId":"a","__proto__":{"x":1}}', 400],
    ['constructor.prototype', '{"clinicId":"a","constructor":{"prototype":{}}}', 400],
    ['an array', '[]', 400],
    ['null', 'null', 400],
    ['a number', '7', 400],
    ['nothing', '', 400],
    ['deep nesting', `{"clinicId":"a","name":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 400],
    ['a duplicate key', '{"clinicId":"a","clinicId":["b"]}', 400],
  ])('%s', async (_name, body, status) => {
    const before = await api.database.collection('patients').countDocuments();
    const answer = await api.call('POST', '/api/patients', { body });
    expect(answer.status).toBe(status);
    expect(answer.json.name).toMatch(/^(BadRequest|ValidationError)$/);
    expect(await api.database.collection('patients').countDocuments()).toBe(before);
  });

  test('a reminder that is nested too deep, or has a number past 2^53', async () => {
    const deep = `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`;
    for (const reminder of [deep, '{"n":9007199254740993}', '{"n":1e400}']) {
      const body = `{"clinicId":${JSON.stringify(clinicId)},"reminders":[${reminder}]}`;
      expect((await api.call('POST', '/api/appointments', { body })).status).toBe(400);
    }
  });
});
