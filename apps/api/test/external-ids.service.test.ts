import { basic, collectionsWith, createKey, openedDocuments } from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from './api.ts';

let api: TestApi;
let clinicId: string;
beforeAll(async () => {
  api = await openTestApi();
  [clinicId] = api.practice.clinicIds;
});
afterAll(() => api.close());

let count = 0;
const newExternalId = () => `pms:${++count}`;
const KINDS = ['patients', 'appointments'] as const;
type Kind = (typeof KINDS)[number];
const create = (kind: Kind, body: object = {}) =>
  api.call('POST', `/api/${kind}`, { body: { clinicId, ...body } });
const pathOf = (kind: Kind, externalId: string) => `/api/${kind}/external/${encodeURIComponent(externalId)}`;
const put = (kind: Kind, externalId: string, body: object = {}, options: object = {}) =>
  api.call('PUT', pathOf(kind, externalId), { body, ...options });
const get = (kind: Kind, externalId: string, options: object = {}) =>
  api.call('GET', pathOf(kind, externalId), options);
const eventsOf = async (kind: Kind, _id: string) => {
  const [document] = await openedDocuments(api, kind, { _id });
  return (document?.outbox ?? []).map(({ event }: { event: string }) => event);
};
const told = ({ headers }: { headers: Headers }) => [
  headers.get('x-record-created'),
  headers.get('x-record-changed'),
];

describe.each(KINDS)('%s', (kind) => {
  test('a record keeps its external id, is found by it, and is stored without its text', async () => {
    const externalId = `Paradiesvogel:${newExternalId()}`;
    const { status, json } = await create(kind, { externalId });
    expect(status).toBe(200);
    expect(json.externalId).toBe(externalId);
    expect(json.createdTime).toBe(json.lastEditTime);
    const found = await get(kind, externalId);
    expect(found).toMatchObject({ status: 200, json });
    expect(found.headers.get('etag')).toBe('"1"');
    expect((await get(kind, externalId, { headers: { 'if-none-match': '"1"' } })).status).toBe(304);
    const list = await api.call('GET', `/api/${kind}?externalId=${encodeURIComponent(externalId)}`);
    expect(list.json).toEqual([json]);
    expect((await api.call('GET', `/api/${kind}?externalId=other`)).json).toEqual([]);
    expect(await collectionsWith(api, externalId)).toEqual([]);
  });

  test('a taken one is refused, and names the record only to callers who may read it', async () => {
    const externalId = newExternalId();
    const { json: first } = await create(kind, { externalId });
    const second = (await create(kind)).json;
    const { secret } = await createKey(
      api.practice.store,
      { name: 'writes', scopes: [`${kind}:write`], rateLimit: 1000 },
      new Date(),
    );
    for (const [as, _id] of [
      [undefined, first._id],
      [token(api.practice.staff.token), first._id],
      [basic(secret), undefined],
    ]) {
      const options = { body: { clinicId, externalId }, ...(as && { as }) };
      for (const refused of [
        await api.call('POST', `/api/${kind}`, options),
        await api.call('PUT', `/api/${kind}/${second._id}`, options),
      ]) {
        expect(refused.status).toBe(409);
        const { requestId, ...details } = refused.json.details;
        const reason = 'external_id_taken';
        expect(details).toEqual({ code: reason, reason, ...(_id && { _id }) });
      }
    }
    expect(await eventsOf(kind, second._id)).toHaveLength(1);
  });

  test('it is free for another record once it was cleared, or its record deleted', async () => {
    const externalId = newExternalId();
    const first = (await create(kind, { externalId })).json;
    const cleared = await api.call('PUT', `/api/${kind}/${first._id}`, { body: { externalId: null } });
    expect(cleared.json).not.toHaveProperty('externalId');
    const second = (await create(kind, { externalId })).json;
    await api.call('DELETE', `/api/${kind}/${second._id}`);
    expect((await get(kind, externalId)).status).toBe(404);
    const third = (await create(kind, { externalId })).json;
    expect(new Set([first._id, second._id, third._id]).size).toBe(3);
  });

  test('is unique for the organization and the kind', async () => {
    const externalId = newExternalId();
    await create(kind, { externalId });
    const other = kind === 'patients' ? 'appointments' : 'patients';
    expect((await create(other, { externalId })).status).toBe(200);
    const body = { clinicId: api.stranger.clinicIds[0], externalId };
    const as = token(api.stranger.administrator.token);
    expect((await api.call('POST', `/api/${kind}`, { as, body })).status).toBe(200);
    const { status } = await get(kind, newExternalId(), { as });
    expect(status).toBe(404);
  });

  test.each([
    ['', 'must not be empty'],
    ['a\nb', 'must not contain control characters'],
    ['a\u0085b', 'must not contain control characters'],
    ['.', 'must not be . or ..'],
    ['..', 'must not be . or ..'],
    ['x'.repeat(256), 'must have at most 255 characters'],
    [7, 'must be a string'],
  ])('%j is refused', async (externalId, message) => {
    const { status, json } = await create(kind, { externalId });
    expect({ status, issues: json.details.issues }).toMatchObject({
      status: 400,
      issues: [{ path: 'externalId', message }],
    });
  });

  test.each(['a/b?c#d', 'é'.normalize('NFD'), '漢'.repeat(255), "' || 1=1", '%2e', 'Ä b'])(
    '%j is found by its path, in the form C',
    async (externalId) => {
      const { json } = await put(kind, externalId, { clinicId });
      expect(json.externalId).toBe(externalId.normalize('NFC'));
      expect((await get(kind, externalId)).json).toEqual(json);
      expect((await get(kind, externalId.normalize('NFD'))).json).toEqual(json);
      expect((await get(kind, json.externalId.toLowerCase())).status).toBe(
        json.externalId === json.externalId.toLowerCase() ? 200 : 404,
      );
    },
  );

  test('an upsert creates the record, then changes it, then does nothing', async () => {
    const externalId = newExternalId();
    const missing = await put(kind, externalId, {});
    expect(missing).toMatchObject({ status: 400, json: { details: { issues: [{ path: 'clinicId' }] } } });
    const created = await put(kind, externalId, { clinicId });
    expect(created.status).toBe(200);
    expect(told(created)).toEqual(['true', 'true']);
    expect(created.headers.get('etag')).toBe('"1"');
    const change = kind === 'patients' ? { name: 'Ada' } : { procedures: [{ procedureId: 'p' }] };
    const changed = await put(kind, externalId, change);
    expect(told(changed)).toEqual(['false', 'true']);
    expect(changed.json).toMatchObject({ ...change, createdTime: created.json.createdTime });
    for (const body of [change, {}, changed.json]) {
      const same = await put(kind, externalId, body);
      expect(told(same)).toEqual(['false', 'false']);
      expect(same.json).toEqual(changed.json);
      expect(same.headers.get('etag')).toBe('"2"');
    }
    const one = kind.slice(0, -1);
    expect(await eventsOf(kind, created.json._id)).toEqual([`${one}.created`, `${one}.updated`]);
  });

  test('an upsert refuses other ids in its body, and versions of a record that there is not', async () => {
    const externalId = newExternalId();
    const ifMatch = { headers: { 'if-match': '"1"' } };
    expect((await put(kind, externalId, { clinicId }, ifMatch)).status).toBe(412);
    const created = await put(kind, externalId, { clinicId, externalId });
    for (const [body, path] of [
      [{ externalId: 'other' }, 'externalId'],
      [{ externalId: null }, 'externalId'],
      [{ _id: 'other' }, '_id'],
    ] as const) {
      const { status, json } = await put(kind, externalId, body);
      expect({ status, path: json.details?.issues[0].path }).toEqual({ status: 400, path });
    }
    const fresh = await put(kind, newExternalId(), { clinicId, _id: created.json._id });
    expect(fresh).toMatchObject({ status: 400, json: { details: { issues: [{ path: '_id' }] } } });
    expect((await put(kind, externalId, {}, ifMatch)).status).toBe(200);
    expect((await put(kind, externalId, {}, { headers: { 'if-match': '"7"' } })).status).toBe(412);
  });

  test('callers who upsert at once make one record, and each change has its event', async () => {
    const externalId = newExternalId();
    const bodies = Array.from({ length: 20 }, (_, index) =>
      kind === 'patients' ? { clinicId, name: `n${index}` } : { clinicId, reminders: [{ index }] },
    );
    const results = await Promise.all(bodies.map((body) => put(kind, externalId, body)));
    const done = results.filter(({ status }) => status === 200);
    expect(results.every(({ status }) => status === 200 || status === 503)).toBe(true);
    expect(new Set(done.map(({ json }) => json._id)).size).toBe(1);
    expect(done.filter((each) => told(each)[0] === 'true')).toHaveLength(1);
    const changes = done.filter((each) => told(each)[1] === 'true');
    expect(await eventsOf(kind, done[0]?.json._id)).toHaveLength(changes.length);
    const list = await api.call('GET', `/api/${kind}?externalId=${externalId}`);
    expect(list.json).toHaveLength(1);
  });
});

test('a patient may be named by the external id, in every body of an appointment', async () => {
  const patientExternalId = newExternalId();
  const patient = (await create('patients', { externalId: patientExternalId })).json;
  const made = await create('appointments', { patientExternalId });
  expect(made.json).toMatchObject({ patientId: patient._id });
  expect(made.json).not.toHaveProperty('patientExternalId');
  const path = `/api/appointments/${made.json._id}`;
  const cleared = await api.call('PUT', path, { body: { patientExternalId: null } });
  expect(cleared.json).not.toHaveProperty('patientId');
  const changed = await api.call('PUT', path, { body: { patientExternalId } });
  expect(changed.json.patientId).toBe(patient._id);
  const upserted = await put('appointments', newExternalId(), { clinicId, patientExternalId });
  expect(upserted.json.patientId).toBe(patient._id);

  for (const [body, message] of [
    [{ patientExternalId: 'nobody' }, 'must be the external id of a patient in your organization'],
    [{ patientExternalId, patientId: patient._id }, 'must not be sent with patientId'],
  ] as const) {
    const refused = await create('appointments', body);
    expect(refused.json.details.issues).toMatchObject([{ path: 'patientExternalId', message }]);
  }
  const all = await create('appointments', { patientExternalId: 'nobody', clinicId: 'nowhere', status: 'X' });
  expect(all.json.details.issues.map(({ path }: { path: string }) => path).sort()).toEqual([
    'clinicId',
    'patientExternalId',
    'status',
  ]);
});

test('a search for patients takes an external id', async () => {
  const externalId = newExternalId();
  const { json } = await create('patients', { externalId, name: 'Ada' });
  const search = (body: object) => api.call('POST', '/api/patients/search', { body });
  expect((await search({ externalId })).json).toEqual([json]);
  expect((await search({ externalId, name: 'ada' })).json).toEqual([json]);
  expect((await search({ externalId, name: 'bob' })).json).toEqual([]);
});

test('a guarded booking keeps external ids unique, and holds nothing after a refusal', async () => {
  const { organizationId } = api.practice;
  const none = { monday: [], tuesday: [], wednesday: [], friday: [], saturday: [], sunday: [] };
  await api.practice.store.openingHours.set(clinicId, {
    weekdays: { thursday: [{ opens: '08:00', closes: '18:00' }], ...none },
    ...{ exceptions: [], chairs: 1, slotMinutes: 30 },
  });
  const externalId = newExternalId();
  await create('appointments', { externalId });
  const time = { startTime: '2030-01-31T09:00:00Z', endTime: '2030-01-31T09:30:00Z' };
  const book = (body: object) =>
    api.call('POST', '/api/appointments?onlyIfFree=true', { body: { clinicId, ...time, ...body } });
  const refused = await book({ externalId });
  expect(refused).toMatchObject({ status: 409, json: { details: { reason: 'external_id_taken' } } });
  expect(await api.database.collection('appointments').countDocuments({ organizationId, revision: 0 })).toBe(
    0,
  );
  const booked = await book({ externalId: newExternalId() });
  expect(booked.status).toBe(200);
  const path = `${pathOf('appointments', booked.json.externalId)}?onlyIfFree=true`;
  expect(told(await api.call('PUT', path, { body: {} }))).toEqual(['false', 'false']);
  const other = `${pathOf('appointments', newExternalId())}?onlyIfFree=true`;
  const full = await api.call('PUT', other, { body: { clinicId, ...time } });
  expect(full).toMatchObject({ status: 409, json: { details: { reason: 'fully_booked' } } });
});

test('guarded upserts at once book one appointment, and none is refused for it', async () => {
  const externalId = newExternalId();
  const times = { startTime: '2030-02-07T09:00:00Z', endTime: '2030-02-07T09:30:00Z' };
  const path = `${pathOf('appointments', externalId)}?onlyIfFree=true`;
  const results = await Promise.all(
    Array.from({ length: 6 }, () => api.call('PUT', path, { body: { clinicId, ...times } })),
  );
  expect(results.map(({ status }) => status)).toEqual(Array(6).fill(200));
  expect(results.filter((each) => told(each)[0] === 'true')).toHaveLength(1);
});

test.each(KINDS)('%s: an external id that moves to another record makes no caller wait', async (kind) => {
  for (let round = 0; round < 10; round++) {
    const [from, to] = [newExternalId(), newExternalId()];
    const { _id } = (await create(kind, { externalId: from })).json;
    const responses = await Promise.all([
      api.call('PUT', `/api/${kind}/${_id}`, { body: { externalId: to } }),
      put(kind, from, { clinicId, ...(kind === 'patients' ? { name: 'a' } : { status: 'NO_SHOW' }) }),
      put(kind, to, { clinicId, ...(kind === 'patients' ? { name: 'b' } : { status: 'NO_SHOW' }) }),
      api.call('DELETE', `/api/${kind}/${_id}`),
    ]);
    expect(responses.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
  }
});

test('an upsert that cannot create the record names all issues at once', async () => {
  const body = {
    ...{ _id: 'other', patientExternalId: 'nobody' },
    ...{ startTime: '2030-01-31T10:00:00Z', endTime: '2030-01-31T09:00:00Z' },
  };
  const { json } = await put('appointments', newExternalId(), body);
  const paths = json.details.issues.map(({ path }: { path: string }) => path);
  expect(paths.sort()).toEqual(['_id', 'clinicId', 'endTime', 'patientExternalId']);
});

test('a refused external id frees the idempotency key, and a repeated request returns its record', async () => {
  const externalId = newExternalId();
  const headers = { 'idempotency-key': newExternalId() };
  const post = (body: object) => api.call('POST', '/api/patients', { body: { clinicId, ...body }, headers });
  const { json: holder } = await create('patients', { externalId });
  expect((await post({ externalId })).status).toBe(409);
  const own = newExternalId();
  const made = await post({ externalId: own });
  expect(made.status).toBe(200);
  expect(made.json._id).not.toBe(holder._id);
  const repeated = await post({ externalId: own });
  expect(repeated.json).toEqual(made.json);
  expect(repeated.headers.get('idempotent-replayed')).toBe('true');
});
