import { basic } from '@chairside/test-practice';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { token } from './api.ts';
import {
  type ContractPractice,
  dateTime,
  endpoints,
  identifier,
  openContractPractice,
  operatorEndpoints,
  patient,
  procedures,
  times,
} from './contract-practice.ts';

/* The chapters "States and transitions", "Endpoints" and "Versioning". */
let api: ContractPractice;
let clinicId: string;
let patientId: string;
beforeAll(async () => {
  api = await openContractPractice();
  ({ clinicId, patientId } = api);
});
afterAll(() => api.close());

const administrator = () => token(api.practice.administrator.token);
const appointment = {
  _id: identifier,
  clinicId: identifier,
  status: expect.stringMatching(/^(REQUESTED|SCHEDULED|PATIENT_ARRIVED|NO_SHOW|CANCELED)$/),
  procedures: expect.any(Array),
  reminders: expect.any(Array),
  lastEditTime: dateTime,
};
const idsOf = (rows: { _id: string }[]) => rows.map(({ _id }) => _id);
/** A subscription of its own, whose path it answers. */
const subscribed = async (): Promise<string> => {
  const body = { clinicId, url: 'https://example.com/hook' };
  const { _id } = await api.ok('POST', '/api/webhooksubscriptions', body, administrator());
  return `/api/webhooksubscriptions/${_id}`;
};

/** A path of the description with the id of a new record in it, and a body that it takes. */
const request = async (method: string, path: string): Promise<[path: string, body: object | undefined]> => {
  const body = method === 'POST' ? { clinicId, url: 'https://example.com' } : {};
  if (path.includes('ubscription')) {
    const filled = path.includes('{') ? await subscribed() : path;
    return [filled, method === 'GET' || method === 'DELETE' ? undefined : body];
  }
  const list = path.replace(/\/\{.*/, '');
  const filled = list === path ? path : `${list}/${(await api.ok('POST', list, { clinicId }))._id}`;
  if (method === 'POST') return [filled, { clinicId }];
  return [filled, method === 'PUT' ? {} : undefined];
};

describe('States and transitions', () => {
  test.each(['REQUESTED', 'SCHEDULED', 'PATIENT_ARRIVED', 'NO_SHOW', 'CANCELED'])(
    'The status is settable through the update operation (PUT): %s',
    async (status) => {
      const { _id } = await api.ok('POST', '/api/appointments', { clinicId });
      expect((await api.ok('PUT', `/api/appointments/${_id}`, { status })).status).toBe(status);
      expect((await api.ok('GET', `/api/appointments/${_id}`)).status).toBe(status);
    },
  );

  test('| disabled | PUT subscription with active = true | operator access token | enabled |', async () => {
    const path = await subscribed();
    await api.ok('PUT', path, { active: false }, administrator());
    expect((await api.call('PUT', path, { body: { active: true } })).status).toBe(403);
    expect((await api.ok('PUT', path, { active: true }, administrator())).active).toBe(true);
  });
});

describe('Endpoints', () => {
  test.each([...endpoints.map(([method, path]) => [method, path] as const), ...operatorEndpoints])(
    'All successful operations answer 200 with a JSON body: %s %s',
    async (method, path) => {
      const [filled, body] = await request(method, path);
      const json = await api.ok(method, filled, body, administrator());
      expect(Array.isArray(json)).toBe(method === 'GET' && !path.includes('{'));
    },
  );

  test.each(
    [...endpoints.map(([method, path]) => [method, path] as const), ...operatorEndpoints].filter(
      ([method]) => method === 'POST' || method === 'PUT',
    ),
  )('Request bodies are application/json: %s %s', async (method, path) => {
    const [filled, body] = await request(method, path);
    for (const type of ['application/json', 'application/json; charset=utf-8']) {
      const headers = { 'content-type': type };
      expect((await api.call(method, filled, { as: administrator(), body, headers })).status).toBe(200);
    }
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const refused = await api.call(method, filled, { as: administrator(), body: 'clinicId=1', headers });
    expect(refused.status).toBe(415);
  });

  test.each(endpoints)('authentication is either scheme: %s %s', async (method, path) => {
    for (const as of [basic(api.practice.apiKey), token(api.practice.staff.token)]) {
      const [filled, body] = await request(method, path);
      await api.ok(method, filled, body, as);
    }
  });

  test.each(endpoints)('%s %s: the scope is %s', async (method, path, scope) => {
    const [filled, body] = await request(method, path);
    const others = [...new Set(endpoints.map(([, , each]) => each))].filter((each) => each !== scope);
    const refused = await api.call(method, filled, { as: await api.keyWith(others), ...(body && { body }) });
    expect(refused.status).toBe(403);
    await api.ok(method, filled, body, await api.keyWith([scope]));
  });
});

describe('Appointments', () => {
  const path = '/api/appointments';

  test('GET | query (all optional strings): clinicId, patientId, startTime, endTime', async () => {
    const other = await api.ok('POST', '/api/patients', { clinicId: api.practice.clinicIds[0] });
    const sent = { clinicId: api.practice.clinicIds[0], patientId: other._id, ...times };
    const { _id } = await api.ok('POST', path, { ...sent, endTime: '2030-03-01T09:15:00Z' });
    const found = async (query: string) => idsOf(await api.ok('GET', `${path}${query}`));
    expect(await found('')).toEqual(expect.arrayContaining([_id, api.appointmentId]));
    expect(await found(`?clinicId=${sent.clinicId}`)).toEqual([_id]);
    expect(await found(`?patientId=${sent.patientId}`)).toEqual([_id]);
    expect(await found(`?patientId=${sent.patientId}&clinicId=${clinicId}`)).toEqual([]);
    const range = '?startTime=2030-03-01T09:00:00Z&endTime=2030-03-01T10:00:00Z';
    expect(await found(range)).toEqual(expect.arrayContaining([_id, api.appointmentId]));
    expect(await found('?startTime=2030-03-01T09:20:00Z')).not.toContain(_id);
    expect(await found('?startTime=2030-03-01T09:20:00Z')).toContain(api.appointmentId);
    expect(await found('?endTime=2030-03-01T09:00:00Z')).toEqual([]);
  });

  test('GET | fields (comma-separated projection of fields to return)', async () => {
    const rows = await api.ok('GET', `${path}?patientId=${patientId}&fields=_id,startTime`);
    expect(rows).toEqual([{ _id: api.appointmentId, startTime: dateTime }]);
  });

  test('GET | 200 array of Appointment', async () => {
    for (const row of await api.ok('GET', path)) expect(row).toMatchObject(appointment);
  });

  test('POST | body: clinicId (string, required), patientId, startTime, endTime (strings, optional) | 200 the created Appointment', async () => {
    expect(await api.ok('POST', path, { clinicId })).toEqual({ ...appointment, clinicId });
    const created = await api.ok('POST', path, { clinicId, patientId, ...times });
    expect(created).toEqual({ ...appointment, clinicId, patientId, startTime: dateTime, endTime: dateTime });
    expect(Date.parse(created.startTime)).toBe(Date.parse(times.startTime));
    expect(Date.parse(created.endTime)).toBe(Date.parse(times.endTime));
    expect(await api.ok('GET', `${path}/${created._id}`)).toEqual(created);
    expect((await api.call('POST', path, { body: { patientId, ...times } })).status).toBe(400);
  });

  test.each([
    ['patientId', () => patientId],
    ['startTime', () => times.startTime],
    ['endTime', () => times.endTime],
  ])('POST | body: %s is optional by itself', async (field, value) => {
    const created = await api.ok('POST', path, { clinicId, [field]: value() });
    expect(created).toHaveProperty(field);
  });

  test('GET {appointmentId} | 200 Appointment', async () => {
    const read = await api.ok('GET', `${path}/${api.appointmentId}`);
    expect(read).toEqual({
      ...appointment,
      _id: api.appointmentId,
      patientId,
      startTime: dateTime,
      endTime: dateTime,
    });
  });

  test('PUT | body with optional fields _id, clinicId, patientId, startTime, endTime, status, procedures, reminders, lastEditTime', async () => {
    const created = await api.ok('POST', path, { clinicId, patientId, ...times });
    const body = { ...created, status: 'NO_SHOW', procedures, reminders: [{ anything: { goes: true } }] };
    expect(Object.keys(body).sort()).toEqual(
      '_id clinicId endTime lastEditTime patientId procedures reminders startTime status'.split(' '),
    );
    const updated = await api.ok('PUT', `${path}/${created._id}`, body);
    expect(updated).toEqual({ ...body, lastEditTime: dateTime });
    expect(await api.ok('GET', `${path}/${created._id}`)).toEqual(updated);
  });

  test('PUT | each of the fields is optional | 200 the updated Appointment', async () => {
    const created = await api.ok('POST', path, { clinicId, patientId, ...times });
    const one = `${path}/${created._id}`;
    const changes = {
      _id: created._id,
      clinicId: api.practice.clinicIds[1],
      patientId,
      startTime: '2030-03-01T08:00:00.000Z',
      endTime: '2030-03-01T10:00:00.000Z',
      status: 'PATIENT_ARRIVED',
      procedures,
      reminders: [{ a: 1 }],
    };
    let expected = created;
    for (const [field, value] of Object.entries(changes)) {
      expected = { ...expected, [field]: value, lastEditTime: dateTime };
      expect(await api.ok('PUT', one, { [field]: value })).toEqual(expected);
    }
    expect(await api.ok('PUT', one, { lastEditTime: created.lastEditTime })).toEqual(expected);
    expect(await api.ok('PUT', one, {})).toEqual(expected);
  });

  test('DELETE | 200 the deleted Appointment', async () => {
    const created = await api.ok('POST', path, { clinicId, ...times });
    const deleted = await api.ok('DELETE', `${path}/${created._id}`);
    expect(deleted).toEqual({ ...created, lastEditTime: dateTime });
    expect((await api.call('GET', `${path}/${created._id}`)).status).toBe(404);
  });

  test('Times sent are ISO 8601 instants.', async () => {
    for (const startTime of ['2030-03-01T09:00:00Z', '2030-03-01T10:00:00+01:00']) {
      const rows = await api.ok('GET', `${path}?startTime=${encodeURIComponent(startTime)}`);
      expect(idsOf(rows)).toContain(api.appointmentId);
    }
    expect((await api.call('GET', `${path}?startTime=2030-03-01`)).status).toBe(400);
  });
});

describe('Clinics, Invoices, Payments, Treatments', () => {
  test('GET /api/clinics | none | 200 array of Clinic', async () => {
    const clinics = await api.ok('GET', '/api/clinics');
    expect(idsOf(clinics).sort()).toEqual([...api.practice.clinicIds, clinicId].sort());
  });

  test.each([
    ['invoices', 2],
    ['payments', 1],
  ])('GET /api/%s | query (optional strings): clinicId, patientId | 200 array', async (kind, count) => {
    const path = `/api/${kind}`;
    expect(await api.ok('GET', path)).toHaveLength(count);
    for (const query of [`clinicId=${clinicId}`, `patientId=${patientId}`]) {
      expect(await api.ok('GET', `${path}?${query}`)).toHaveLength(count);
    }
    expect(await api.ok('GET', `${path}?clinicId=${clinicId}&patientId=${patientId}`)).toHaveLength(count);
    for (const query of [`clinicId=${api.practice.clinicIds[0]}`, 'patientId=another']) {
      expect(await api.ok('GET', `${path}?${query}`)).toEqual([]);
    }
  });

  test('GET /api/treatments | none | 200 array of treatments (the organization’s clinical treatment records)', async () => {
    expect(await api.ok('GET', '/api/treatments')).toMatchObject([{ _id: identifier, clinicId, patientId }]);
    expect(await api.ok('GET', '/api/treatments', undefined, basic(api.stranger.apiKey))).toEqual([]);
  });
});

describe('Patients', () => {
  const path = '/api/patients';

  test('GET | query (optional strings): clinicId, email, _ids (comma-separated patient ids)', async () => {
    const sent = { clinicId: api.practice.clinicIds[1], email: 'only.one@example.com' };
    const { _id } = await api.ok('POST', path, sent);
    const found = async (query: string) => idsOf(await api.ok('GET', `${path}${query}`));
    expect(await found('')).toEqual(expect.arrayContaining([_id, patientId]));
    expect(await found(`?clinicId=${sent.clinicId}`)).toEqual([_id]);
    expect(await found(`?email=${sent.email}`)).toEqual([_id]);
    expect(await found(`?_ids=${_id}`)).toEqual([_id]);
    expect((await found(`?_ids=${_id},${patientId}`)).sort()).toEqual([_id, patientId].sort());
    expect(await found(`?_ids=${_id},${patientId}&clinicId=${sent.clinicId}`)).toEqual([_id]);
  });

  test('GET | fields (comma-separated projection) | 200 array of Patient', async () => {
    const [whole] = await api.ok('GET', `${path}?_ids=${patientId}`);
    expect(whole).toEqual({ ...patient, _id: patientId, clinicId, lastEditTime: dateTime });
    const [projected] = await api.ok('GET', `${path}?_ids=${patientId}&fields=_id,name`);
    expect(projected).toEqual({ _id: patientId, name: patient.name });
  });

  test('POST | body: clinicId (string, required), name, email, phone (strings, optional) | 200 the created Patient', async () => {
    const sent = { clinicId, name: 'Bea', email: 'bea@example.com', phone: '1' };
    const created = await api.ok('POST', path, sent);
    expect(created).toEqual({ ...sent, _id: identifier, lastEditTime: dateTime });
    expect(await api.ok('GET', `${path}/${created._id}`)).toEqual(created);
    const least = { _id: identifier, clinicId, lastEditTime: dateTime };
    expect(await api.ok('POST', path, { clinicId })).toEqual(least);
    for (const field of ['name', 'email', 'phone'] as const) {
      const some = { [field]: sent[field] };
      expect(await api.ok('POST', path, { clinicId, ...some })).toEqual({ ...least, ...some });
    }
    expect((await api.call('POST', path, { body: { name: 'Bea' } })).status).toBe(400);
  });

  test('GET {patientId} | 200 Patient', async () => {
    const { _id } = await api.ok('POST', path, { clinicId, ...patient });
    expect(await api.ok('GET', `${path}/${_id}`)).toEqual({
      ...patient,
      _id,
      clinicId,
      lastEditTime: dateTime,
    });
  });

  test('PUT | body with optional fields _id, clinicId, name, email (email format), phone, language, lastEditTime', async () => {
    const created = await api.ok('POST', path, { clinicId, ...patient });
    const body = { ...created, name: 'Ada B.', language: 'en' };
    expect(Object.keys(body).sort()).toEqual(
      '_id clinicId email language lastEditTime name phone'.split(' '),
    );
    const one = `${path}/${created._id}`;
    expect(await api.ok('PUT', one, body)).toEqual({ ...body, lastEditTime: dateTime });
    expect((await api.call('PUT', one, { body: { email: 'no' } })).status).toBe(400);
  });

  test('PUT | each of the fields is optional | 200 the updated Patient', async () => {
    const created = await api.ok('POST', path, { clinicId });
    const one = `${path}/${created._id}`;
    let expected = created;
    const changes = { _id: created._id, clinicId: api.practice.clinicIds[0], ...patient };
    for (const [field, value] of Object.entries(changes)) {
      expected = { ...expected, [field]: value, lastEditTime: dateTime };
      expect(await api.ok('PUT', one, { [field]: value })).toEqual(expected);
    }
    expect(await api.ok('PUT', one, { lastEditTime: created.lastEditTime })).toEqual(expected);
    expect(await api.ok('PUT', one, {})).toEqual(expected);
  });

  test('DELETE | 200 the deleted Patient', async () => {
    const created = await api.ok('POST', path, { clinicId, name: 'Cleo' });
    const deleted = await api.ok('DELETE', `${path}/${created._id}`);
    expect(deleted).toEqual({ ...created, lastEditTime: dateTime });
    expect((await api.call('GET', `${path}/${created._id}`)).status).toBe(404);
  });
});

describe('Webhook subscriptions', () => {
  const path = '/api/webhooksubscriptions';

  test.each(operatorEndpoints)(
    '(operator access token only; API keys are not accepted): %s %s',
    async (method, template) => {
      const [filled, body] = await request(method, template);
      const refused = await api.call(method, filled, body && { body });
      expect(refused.status).toBe(403);
      await api.ok(method, filled, body, administrator());
    },
  );

  test('GET | none | 200 array of subscriptions, without secrets', async () => {
    const one = await subscribed();
    const list = await api.ok('GET', path, undefined, administrator());
    expect(idsOf(list)).toContain(one.split('/').at(-1));
    for (const each of list) expect(each).not.toHaveProperty('secret');
  });

  test('POST | clinicId (string, required), url (string, required), events (array; empty means all events) | 200 the created subscription including its secret, returned this once and never retrievable again', async () => {
    const body = { clinicId, url: 'https://example.com/hook', events: [] };
    const created = await api.ok('POST', path, body, administrator());
    expect(created).toMatchObject({ ...body, active: true, secret: identifier });
    for (const get of [path, `${path}/${created._id}`]) {
      expect(JSON.stringify(await api.ok('GET', get, undefined, administrator()))).not.toContain(
        created.secret,
      );
    }
    for (const required of ['clinicId', 'url'] as const) {
      const { [required]: _left, ...rest } = body;
      expect((await api.call('POST', path, { body: rest, as: administrator() })).status).toBe(400);
    }
  });

  test('PUT | editable fields url, events, active; secret and clinic cannot change | 200 the updated subscription, without secret', async () => {
    const one = await subscribed();
    const changes = { url: 'https://example.org/', events: ['patient.created'], active: false };
    let expected = {};
    for (const [field, value] of Object.entries(changes)) {
      expected = { ...expected, [field]: value };
      const updated = await api.ok('PUT', one, { [field]: value }, administrator());
      expect(updated).toMatchObject(expected);
      expect(updated).not.toHaveProperty('secret');
    }
    for (const body of [{ secret: 'x' }, { clinicId: api.practice.clinicIds[1] }]) {
      expect((await api.call('PUT', one, { body, as: administrator() })).status).toBe(400);
    }
  });

  test('DELETE | 200 deleted', async () => {
    const one = await subscribed();
    await api.ok('DELETE', one, undefined, administrator());
    expect(idsOf(await api.ok('GET', path, undefined, administrator()))).not.toContain(one.split('/').at(-1));
  });
});

describe('Versioning', () => {
  test('The API description carries version 1.0.0.', async () => {
    expect((await api.ok('GET', '/openapi.json')).info.version).toBe('1.0.0');
  });

  test('All paths sit under /api with no version segment.', async () => {
    const { paths } = await api.ok('GET', '/openapi.json');
    for (const [method, path] of [...endpoints, ...operatorEndpoints]) {
      expect(Object.keys(paths[path])).toContain(method.toLowerCase());
    }
    const records = Object.keys(paths).filter((path) => path.startsWith('/api'));
    expect(records.filter((path) => /\/v?\d/.test(path))).toEqual([]);
  });
});
