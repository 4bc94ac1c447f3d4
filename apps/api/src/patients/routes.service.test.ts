import { basic, collectionsWith, openedDocuments } from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from '../../test/api.ts';

let api: TestApi;
let clinicId: string;
beforeAll(async () => {
  api = await openTestApi();
  [clinicId] = api.practice.clinicIds;
});
afterAll(() => api.close());

const create = async (fields: object = {}) => {
  const { status, json } = await api.call('POST', '/api/patients', { body: { clinicId, ...fields } });
  expect(status).toBe(200);
  return json;
};

/** The stored events in the outbox of a record. */
const eventsOf = async (recordId: string) => {
  const [document] = await openedDocuments(api, 'patients', { _id: recordId });
  return (document?.outbox ?? []) as { event: string; body: string; principal: object; requestId: string }[];
};

describe('POST /api/patients', () => {
  test('tells in its events who has changed which fields', async () => {
    const { json } = await api.call('POST', '/api/patients', { body: { clinicId, name: 'Ada', phone: '1' } });
    const path = `/api/patients/${json._id}`;
    await api.call('PUT', path, { body: { name: 'Ada', phone: null, email: 'ada@example.com' } });
    const as = token(api.practice.staff.token);
    const { headers } = await api.call('PUT', path, { as, body: {} });
    const bodies = (await eventsOf(json._id)).map(({ body }) => JSON.parse(body));
    expect(bodies.map(({ changed }) => changed)).toEqual([undefined, ['email', 'phone'], []]);
    expect(bodies.map(({ origin }) => origin.kind)).toEqual(['apiKey', 'apiKey', 'operator']);
    expect(bodies[1].origin.ref).toBe(bodies[0].origin.ref);
    expect(bodies[2].origin).toEqual({ kind: 'operator', requestId: headers.get('x-request-id') });
  });

  test('creates a patient and its event in one document', async () => {
    const { status, json, headers } = await api.call('POST', '/api/patients', {
      body: { clinicId, name: 'Ada', email: 'Ada@Example.com', phone: '+49', language: 'de' },
    });
    expect(status).toBe(200);
    expect(json).toEqual({
      _id: expect.any(String),
      clinicId,
      name: 'Ada',
      email: 'Ada@Example.com',
      phone: '+49',
      language: 'de',
      createdTime: json.lastEditTime,
      lastEditTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const [event] = await eventsOf(json._id);
    expect(event).toMatchObject({
      event: 'patient.created',
      principal: { kind: 'apiKey', id: expect.any(String) },
      requestId: headers.get('x-request-id'),
    });
    expect(JSON.parse(event?.body ?? '')).toEqual({
      id: expect.any(String),
      event: 'patient.created',
      timestamp: expect.any(Number),
      data: json,
      origin: {
        kind: 'apiKey',
        ref: (await api.call('GET', '/api/apikeys/current')).json.ref,
        requestId: headers.get('x-request-id'),
      },
    });
    expect(await collectionsWith(api, 'Ada@Example.com', 'ada@example.com', '"name":"Ada"')).toEqual([]);
  });

  test('requires only a clinic, and omits absent and null fields', async () => {
    const { _id, createdTime, lastEditTime, ...rest } = await create({ name: null, email: null });
    expect(rest).toEqual({ clinicId });
    const read = await api.call('GET', `/api/patients/${_id}`);
    expect(read.text).not.toContain('null');
    expect(Object.keys(read.json).sort()).toEqual(['_id', 'clinicId', 'createdTime', 'lastEditTime']);
  });

  test('reports all issues at once', async () => {
    const { status, json } = await api.call('POST', '/api/patients', {
      body: { email: 'x', name: 5, _id: 'mine', lastEditTime: '2030-01-01T00:00:00Z', nickname: 'y' },
    });
    expect(status).toBe(400);
    expect(json).toMatchObject({ name: 'ValidationError', statusCode: 400 });
    expect(json.details.issues.map(({ path }: { path: string }) => path).sort()).toEqual([
      '_id',
      'clinicId',
      'email',
      'lastEditTime',
      'name',
      'nickname',
    ]);
    expect(json.message).toContain('clinicId is required');
  });

  test.each([
    ['a clinic that does not exist', () => 'nowhere'],
    ['a clinic of another organization', () => api.stranger.clinicIds[0]],
  ])('refuses %s with the same message', async (_name, clinic) => {
    const { status, json } = await api.call('POST', '/api/patients', { body: { clinicId: clinic() } });
    expect(status).toBe(400);
    expect(json.details.issues).toMatchObject([
      { path: 'clinicId', message: 'must be the id of a clinic in your organization' },
    ]);
  });

  test.each([
    ['a NUL character', 'a\0b'],
    ['a lone surrogate', '\ud800'],
    ['501 characters', 'x'.repeat(501)],
  ])('refuses a name with %s', async (_name, name) => {
    const { status, json } = await api.call('POST', '/api/patients', {
      body: JSON.stringify({ clinicId, name }),
    });
    expect(status).toBe(400);
    expect(json.details.issues[0].path).toBe('name');
  });

  test('requires the scope patients:write', async () => {
    const { status, json } = await api.call('POST', '/api/patients', {
      as: basic(api.practice.readOnlyApiKey),
      body: { clinicId },
    });
    expect(status).toBe(403);
    expect(json.details.requiredScope).toBe('patients:write');
  });

  test('accepts the access token of an operator with any role', async () => {
    const { status } = await api.call('POST', '/api/patients', {
      as: token(api.practice.staff.token),
      body: { clinicId },
    });
    expect(status).toBe(200);
  });
});

describe('PUT /api/patients/{patientId}', () => {
  test('changes the sent fields, clears null fields and keeps the others', async () => {
    const before = await create({ name: 'Ada', phone: '1', email: 'a@example.com' });
    const { status, json } = await api.call('PUT', `/api/patients/${before._id}`, {
      body: { name: 'Ada B.', phone: null, language: 'en' },
    });
    expect(status).toBe(200);
    const { phone, ...kept } = before;
    expect(json).toEqual({ ...kept, name: 'Ada B.', language: 'en', lastEditTime: expect.any(String) });
    expect(json.lastEditTime > before.lastEditTime).toBe(true);
    expect((await api.call('GET', `/api/patients/${before._id}`)).json).toEqual(json);
    expect((await eventsOf(before._id)).map(({ event }) => event)).toEqual([
      'patient.created',
      'patient.updated',
    ]);
  });

  test('accepts the response of a GET and ignores its lastEditTime', async () => {
    const before = await create({ name: 'Ada' });
    const { status, json } = await api.call('PUT', `/api/patients/${before._id}`, {
      body: { ...before, lastEditTime: '2000-01-01T00:00:00Z' },
    });
    expect(status).toBe(200);
    expect(json).toEqual({ ...before, lastEditTime: json.lastEditTime });
    expect(json.lastEditTime > before.lastEditTime).toBe(true);
  });

  test.each([
    ['another _id', { _id: 'other' }, '_id'],
    ['null for a required field', { clinicId: null }, 'clinicId'],
    ['an unknown field', { revision: 7 }, 'revision'],
    ['an invalid e-mail address', { email: 'nobody' }, 'email'],
    ['a body that is not an object', [], ''],
  ])('refuses %s', async (_name, body, path) => {
    const { _id } = await create();
    const { status, json } = await api.call('PUT', `/api/patients/${_id}`, { body });
    expect(status).toBe(400);
    expect(json.details.issues[0].path).toBe(path);
  });

  test.each([
    'smith&co@example.com',
    'a/b@example.com',
    'user=tag@example.com',
    'x#1@example.com',
    'info@example.xn--p1ai',
    '"ada l"@example.com',
  ])('stores the address %s, and finds it', async (email) => {
    const { _id } = await create();
    expect(await api.call('PUT', `/api/patients/${_id}`, { body: { email } })).toMatchObject({
      status: 200,
      json: { _id, email },
    });
    const { json } = await api.call('GET', `/api/patients?email=${encodeURIComponent(email.toUpperCase())}`);
    expect(json.map((each: { _id: string }) => each._id)).toContain(_id);
  });

  test('assigns the event of a move to the old and the new clinic', async () => {
    const { _id } = await create();
    await api.call('PUT', `/api/patients/${_id}`, { body: { clinicId: api.practice.clinicIds[1] } });
    const document = await api.database.collection('patients').findOne({ _id });
    expect(document?.outbox[1].clinicIds.toSorted()).toEqual([...api.practice.clinicIds].sort());
  });

  test('stores each accepted change of fifty concurrent writers with its event and a later time', async () => {
    const { _id } = await create();
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        api.call('PUT', `/api/patients/${_id}`, { body: { name: `v${index}` } }),
      ),
    );
    const written = responses.filter(({ status }) => status === 200);
    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused.every(({ status, headers }) => status === 503 && headers.has('retry-after'))).toBe(true);
    expect(new Set(written.map(({ json }) => json.lastEditTime)).size).toBe(written.length);
    const events = await eventsOf(_id);
    expect(events).toHaveLength(written.length + 1);
    const last = written
      .map(({ json }) => json)
      .sort((a, b) => (a.lastEditTime < b.lastEditTime ? 1 : -1))[0];
    expect((await api.call('GET', `/api/patients/${_id}`)).json).toEqual(last);
  });

  test('returns 503 with Retry-After if a record has a hundred unpublished events', async () => {
    const { _id } = await create();
    const filler = Array.from({ length: 99 }, (_, index) => ({ _id: `filler-${index}` }));
    await api.database
      .collection<{ _id: string; outbox: { _id: string }[] }>('patients')
      .updateOne({ _id }, { $push: { outbox: { $each: filler } } });
    const { status, headers, json } = await api.call('PUT', `/api/patients/${_id}`, { body: { name: 'x' } });
    expect(status).toBe(503);
    expect(json.name).toBe('ServiceUnavailable');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('DELETE /api/patients/{patientId}', () => {
  test('returns the deleted patient, then 404', async () => {
    const before = await create({ name: 'Ada' });
    const { status, json } = await api.call('DELETE', `/api/patients/${before._id}`);
    expect(status).toBe(200);
    expect(json).toEqual({ ...before, lastEditTime: expect.any(String) });
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const again = await api.call(
        method,
        `/api/patients/${before._id}`,
        method === 'PUT' ? { body: {} } : {},
      );
      expect(again.status).toBe(404);
    }
    const events = await eventsOf(before._id);
    expect(JSON.parse(events[1]?.body ?? '')).toMatchObject({ event: 'patient.deleted', data: json });
  });

  test('accepts a JSON content type without a body', async () => {
    const { _id } = await create();
    const { status } = await api.call('DELETE', `/api/patients/${_id}`, {
      headers: { 'content-type': 'application/json; charset=utf-8' },
    });
    expect(status).toBe(200);
  });
});

test('returns the fields of a record in the same order for updates, reads, lists and deletions', async () => {
  const { _id } = await create({ name: 'Ada' });
  const orders = [
    await api.call('PUT', `/api/patients/${_id}`, { body: { language: 'de', email: 'ada@example.com' } }),
    await api.call('GET', `/api/patients/${_id}`),
    await api.call('GET', `/api/patients?_ids=${_id}`),
    await api.call('DELETE', `/api/patients/${_id}`),
  ].map(({ json }) => Object.keys(Array.isArray(json) ? json[0] : json));
  const expected = ['_id', 'clinicId', 'name', 'email', 'language', 'createdTime', 'lastEditTime'];
  expect(orders).toEqual(orders.map(() => expected));
  const events = await eventsOf(_id);
  expect(Object.keys(JSON.parse(events[1]?.body ?? '').data)).toEqual(expected);
});

describe('GET /api/patients', () => {
  let other: { _id: string; email: string };
  beforeAll(async () => {
    other = await create({ name: 'Only', email: 'Only.One@Example.com' });
    await api.call('POST', '/api/patients', { body: { clinicId: api.practice.clinicIds[1], name: 'South' } });
  });

  test('returns the whole list, in the order of ids', async () => {
    const { status, json, headers } = await api.call('GET', '/api/patients');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    const ids = json.map(({ _id }: { _id: string }) => _id);
    expect(ids).toEqual(ids.toSorted());
    const stored = await api.database
      .collection('patients')
      .countDocuments({ organizationId: api.practice.organizationId, deletedAt: { $exists: false } });
    expect(ids).toHaveLength(stored);
  });

  test('filters by clinic, by e-mail address ignoring case, and by ids', async () => {
    const south = await api.call('GET', `/api/patients?clinicId=${api.practice.clinicIds[1]}`);
    expect(
      south.json.every(({ clinicId }: { clinicId: string }) => clinicId === api.practice.clinicIds[1]),
    ).toBe(true);
    const byEmail = await api.call('GET', '/api/patients?email=only.one@EXAMPLE.com');
    expect(byEmail.json).toEqual([other]);
    const byIds = await api.call('GET', `/api/patients?_ids=${other._id},unknown`);
    expect(byIds.json).toEqual([other]);
  });

  test.each([
    'email=nobody',
    'email=ada%2Bdental@example.com',
    'email="ada+l"@nowhere.example',
    'clinicId=a+b',
    '_ids=a+b',
  ])('returns an empty list for ?%s, which matches nothing', async (query) => {
    const { status, text } = await api.call('GET', `/api/patients?${query}`);
    expect({ status, text }).toEqual({ status: 200, text: '[]' });
  });

  test('refuses a space in the address of a search, whose body needs no encoding', async () => {
    const { status, json } = await api.call('POST', '/api/patients/search', {
      body: { email: 'a b@example.com' },
    });
    expect(status).toBe(400);
    expect(json.details.issues).toMatchObject([{ path: 'email', message: 'must not contain white space' }]);
  });

  test('returns an empty list for a clinic of another organization', async () => {
    const { status, text } = await api.call('GET', `/api/patients?clinicId=${api.stranger.clinicIds[0]}`);
    expect({ status, text }).toEqual({ status: 200, text: '[]' });
  });

  test('returns the selected fields, always with _id', async () => {
    const { json } = await api.call('GET', `/api/patients?_ids=${other._id}&fields=name,email`);
    expect(json).toEqual([{ _id: other._id, name: 'Only', email: 'Only.One@Example.com' }]);
  });

  test.each([
    ['fields=name,outbox', 'fields', 'must contain only names of these fields: _id, clinicId, externalId'],
    ['clinic=1', 'clinic', 'is not a known query parameter'],
    ['email=a&email=b', 'email', 'must occur only once'],
    [`_ids=${Array.from({ length: 201 }, (_, index) => index).join(',')}`, '_ids', 'at most 200 ids'],
    ['email=a%00b', 'email', 'NUL'],
    // An unencoded + is a space.
    ['email=ada+dental@example.com', 'email', 'write + as %2B'],
    ['email=ada%20dental@example.com', 'email', 'write + as %2B'],
    ['email=%20ada@example.com', 'email', 'write + as %2B'],
    ['email=ada@example.com+', 'email', 'write + as %2B'],
    ['email="ada"+x@example.com', 'email', 'write + as %2B'],
    ['email=ada%09@example.com', 'email', 'must not contain white space'],
  ])('refuses ?%s', async (query, path, message) => {
    const { status, json } = await api.call('GET', `/api/patients?${query}`);
    expect(status).toBe(400);
    expect(json.details.issues).toMatchObject([{ path, message: expect.stringContaining(message) }]);
  });
});
