import { once } from 'node:events';
import { request } from 'node:http';
import { clock, scopes } from '@chairside/domain';
import { basic, createKey, createPractice } from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { letPass, openTestApi, type TestApi, token } from '../../test/api.ts';

let api: TestApi;
let as: string;
const path = '/api/apikeys';
beforeAll(async () => {
  api = await openTestApi();
  as = token(api.practice.administrator.token);
});
afterAll(() => api.close());

const create = async (fields: object = {}) => {
  const { status, json } = await api.call('POST', path, { as, body: { name: 'Recall tool', ...fields } });
  expect(status).toBe(200);
  return json;
};

test('creates a key with all read scopes and no write scope, and returns its secret only once', async () => {
  const { secret, ...key } = await create();
  expect(secret).toMatch(/^chairside_key_[\w-]{43}$/);
  expect(key).toEqual({
    _id: expect.any(String),
    name: 'Recall tool',
    scopes: expect.arrayContaining(['patients:read', 'treatments:read']),
    rateLimit: 600,
    createdTime: expect.any(String),
    lastEditTime: expect.any(String),
  });
  expect(key.scopes.every((scope: string) => scope.endsWith(':read'))).toBe(true);
  const list = await api.call('GET', path, { as });
  expect(list.json).toContainEqual(key);
  expect(list.text).not.toContain(secret);
  const stored = JSON.stringify(await api.database.collection('apiKeys').findOne({ _id: key._id }));
  expect(stored).not.toContain(secret.slice(14));

  expect((await api.call('GET', '/api/clinics', { as: basic(secret) })).status).toBe(200);
  const body = { clinicId: api.practice.clinicIds[0] };
  expect((await api.call('POST', '/api/patients', { as: basic(secret), body })).status).toBe(403);
  const used = (await api.call('GET', path, { as })).json.find(({ _id }: { _id: string }) => _id === key._id);
  expect(used.lastUsedTime).toMatch(/:00\.000Z$/);
});

test('refuses a write scope at creation; a write scope that PUT adds takes effect within a second', async () => {
  const refused = await api.call('POST', path, {
    as,
    body: { name: 'x', scopes: ['patients:read', 'patients:write'] },
  });
  expect(refused.status).toBe(400);
  expect(refused.json.details.issues).toMatchObject([
    { path: 'scopes.1', message: expect.stringContaining('PUT') },
  ]);

  const { secret, ...key } = await create({ scopes: ['patients:read'] });
  const write = () =>
    api.call('POST', '/api/patients', { as: basic(secret), body: { clinicId: api.practice.clinicIds[0] } });
  expect((await write()).status).toBe(403);
  const widened = await api.call('PUT', `${path}/${key._id}`, {
    as,
    body: { ...key, scopes: ['patients:read', 'patients:write'] },
  });
  expect(widened.json.scopes).toEqual(['patients:read', 'patients:write']);
  expect(widened.json.lastEditTime > key.lastEditTime).toBe(true);
  letPass(1000);
  expect((await write()).status).toBe(200);
});

test('refuses the 101st key of an organization, until one is deleted', async () => {
  const { administrator, organizationId } = await createPractice(api.store);
  const by = token(administrator.token);
  const post = () => api.call('POST', path, { as: by, body: { name: 'one more' } });
  // The practice has two keys already.
  const stored = Array.from({ length: 97 }, (_, index) => `key-${index}`);
  await api.database
    .collection('apiKeys')
    .insertMany(stored.map((_id) => ({ _id, organizationId, secretHash: _id, createdTime: new Date() })));
  const last = await post();
  expect(last.status).toBe(200);
  expect(last.json).not.toHaveProperty('slot');
  const { status, json } = await post();
  expect([status, json.name, json.message]).toEqual([
    400,
    'ValidationError',
    'The request is not valid: the organization already has 100 API keys, the maximum; delete one first.',
  ]);
  expect((await api.call('DELETE', `${path}/${last.json._id}`, { as: by })).status).toBe(200);
  expect((await post()).status).toBe(200);
  const entries = await api.call('GET', '/api/auditentries?kind=apiKey', { as: by });
  expect(entries.json).toContainEqual(
    expect.objectContaining({ action: 'created', ids: [], result: 'ValidationError' }),
  );
});

test('a deleted key stops working within a second', async () => {
  const { secret, ...key } = await create();
  const use = async () => (await api.call('GET', '/api/clinics', { as: basic(secret) })).status;
  expect(await use()).toBe(200);
  expect((await api.call('DELETE', `${path}/${key._id}`, { as })).json).toMatchObject({ _id: key._id });
  letPass(1000);
  expect(await use()).toBe(401);
});

describe('a key of some clinics', () => {
  test('reads and writes its clinics only, and what it gets another clinic for, within a second', async () => {
    const [ownId, otherId] = api.practice.clinicIds;
    const { secret, ...key } = await create({ clinicIds: [ownId, ownId] });
    expect(key.clinicIds).toEqual([ownId]);
    const clinics = async () =>
      (await api.call('GET', '/api/clinics', { as: basic(secret) })).json.map(
        ({ _id }: { _id: string }) => _id,
      );
    expect(await clinics()).toEqual([ownId]);
    const put = (clinicIds: unknown, by = as) =>
      api.call('PUT', `${path}/${key._id}`, { as: by, body: { clinicIds } });
    expect((await put([otherId])).json.clinicIds).toEqual([otherId]);
    letPass(1000);
    expect(await clinics()).toEqual([otherId]);
    expect((await put(null)).json).not.toHaveProperty('clinicIds');
    letPass(1000);
    expect((await clinics()).toSorted()).toEqual([ownId, otherId].toSorted());
    const entries = await api.call('GET', `/api/auditentries?recordId=${key._id}&action=updated`, { as });
    expect(entries.json.map(({ changes }: any) => changes)).toContainEqual([
      { field: 'clinicIds', value: [otherId] },
    ]);
  });

  test.each([
    [[], 'must name a clinic'],
    [['missing'], 'must be the id of a clinic in your organization'],
    [Array.from({ length: 101 }, () => 'missing'), 'must have at most 100 entries'],
  ])('is refused with the clinics %.20j', async (clinicIds, message) => {
    const refused = await api.call('POST', path, { as, body: { name: 'x', clinicIds } });
    expect([refused.status, refused.json.message]).toEqual([400, expect.stringContaining(message)]);
  });

  test('learns that an external id is taken, and not by what', async () => {
    const [ownId, otherId] = api.practice.clinicIds;
    const key = await createKey(
      api.practice.store,
      { name: 'x', scopes: [...scopes], rateLimit: 1000, clinicIds: [ownId] },
      new Date(),
    );
    const externalId = 'elsewhere:1';
    const { json: other } = await api.call('POST', '/api/patients', {
      body: { clinicId: otherId, externalId },
    });
    const body = { clinicId: ownId, externalId };
    const one = basic(key.secret);
    for (const respond of [
      () => api.call('POST', '/api/patients', { as: one, body }),
      () => api.call('PUT', `/api/patients/external/${externalId}`, { as: one, body }),
    ]) {
      const { status, text, json } = await respond();
      expect([status, json.details.reason]).toEqual([409, 'external_id_taken']);
      expect(text).not.toContain(other._id);
    }
    const writes = [{ method: 'upsert', kind: 'patient', externalId, body: { clinicId: ownId } }];
    const { json, text } = await api.call('POST', '/api/batch', { as: one, body: { writes } });
    expect(json.results[0].error.details.reason).toBe('external_id_taken');
    expect(text).not.toContain(other._id);
  });

  test('gets no further if it loses a clinic while its request waits', async () => {
    const [ownId, otherId] = api.practice.clinicIds;
    const made = { name: 'x', scopes: [...scopes], rateLimit: 1000, clinicIds: [ownId, otherId] };
    const key = await createKey(api.practice.store, made, new Date());
    const body = JSON.stringify({ clinicId: ownId });
    api.statements.length = 0;
    const call = request(`${api.url}/api/patients`, {
      method: 'POST',
      headers: {
        authorization: basic(key.secret),
        'content-type': 'application/json',
        'content-length': body.length,
      },
    });
    call.flushHeaders();
    await expect.poll(() => api.statements.some(({ find }) => find === 'apiKeys')).toBe(true);
    await api.call('PUT', `${path}/${key._id}`, { as, body: { clinicIds: [ownId] } });
    letPass(1000);
    const [response] = await once(call.end(body), 'response');
    expect(response.statusCode).toBe(403);
    const after = await api.call('POST', '/api/patients', {
      as: basic(key.secret),
      body: { clinicId: ownId },
    });
    expect(after.status).toBe(200);
    // What is left for the organization would tell what other clinics write.
    expect(after.headers.get('ratelimit')).not.toContain('event-bytes');
    const writes = [{ method: 'create', kind: 'patient', body: { clinicId: ownId } }];
    const batch = await api.call('POST', '/api/batch', { as: basic(key.secret), body: { writes } });
    expect(batch.headers.get('ratelimit')).not.toContain('rows_of_organization');
    expect(batch.headers.get('ratelimit')).toContain('rows_of_key');
  });

  test('keeps its clinics and its end if somebody has set them since it was read', async () => {
    const { _id } = await create();
    const { headers } = await api.call('GET', `${path}/${_id}`, { as });
    const put = (body: object, more = {}) => api.call('PUT', `${path}/${_id}`, { as, body, headers: more });
    await put({ clinicIds: [api.practice.clinicIds[0]], expiryTime: '2040-01-01T00:00:00Z' });
    const seen = { 'if-match': headers.get('etag') ?? '' };
    expect((await put({ clinicIds: null, expiryTime: null }, seen)).status).toBe(412);
  });

  test('does not get what it has created in a clinic that it has lost, by its Idempotency-Key', async () => {
    const [ownId, otherId] = api.practice.clinicIds;
    const { secret, _id } = await create({ clinicIds: [ownId], scopes: ['patients:read'] });
    const put = (fields: object) => api.call('PUT', `${path}/${_id}`, { as, body: fields });
    await put({ scopes: ['patients:read', 'patients:write'] });
    letPass(1000);
    const sent = { as: basic(secret), headers: { 'idempotency-key': 'lost' } };
    const writes = [{ method: 'create', kind: 'patient', body: { clinicId: ownId, name: 'Kept' } }];
    const one = () => api.call('POST', '/api/patients', { ...sent, body: { clinicId: ownId, name: 'Kept' } });
    const many = () => api.call('POST', '/api/batch', { ...sent, body: { writes } });
    for (const respond of [one, many]) expect((await respond()).status).toBe(200);
    await put({ clinicIds: [otherId] });
    letPass(1000);
    expect((await one()).json.details.code).toBe('idempotency_record_deleted');
    expect((await many()).text).not.toContain('Kept');
  });
});

describe('the end of a key', () => {
  const use = async (secret: string) => await api.call('GET', '/api/clinics', { as: basic(secret) });

  test('is that moment in every process, and a moved end lets it work again', async () => {
    const end = new Date(Date.now() + 86_400_000);
    const { secret, ...key } = await create({ expiryTime: end.toISOString() });
    expect(key.expiryTime).toBe(end.toISOString());
    const now = vi.spyOn(clock, 'now');
    onTestFinished(() => now.mockRestore());
    now.mockReturnValue(new Date(end.getTime() - 1));
    expect((await use(secret)).status).toBe(200);
    now.mockReturnValue(end);
    // The lookup a moment ago is not used any more.
    await expect.poll(async () => (await use(secret)).status).toBe(401);
    expect((await use(secret)).json.message).toContain('has ended');
    now.mockRestore();
    const later = new Date(end.getTime() + 1).toISOString();
    const moved = await api.call('PUT', `${path}/${key._id}`, { as, body: { ...key, expiryTime: later } });
    expect(moved.json.expiryTime).toBe(later);
    letPass(1000);
    expect((await use(secret)).status).toBe(200);
    const lifted = await api.call('PUT', `${path}/${key._id}`, { as, body: { expiryTime: null } });
    expect(lifted.json).not.toHaveProperty('expiryTime');
  });

  test('cannot have passed at its creation', async () => {
    const body = { name: 'x', expiryTime: '2020-01-01T00:00:00Z' };
    const { status, json } = await api.call('POST', path, { as, body });
    expect([status, json.details.issues[0].path]).toEqual([400, 'expiryTime']);
  });
});

describe('rotation', () => {
  const rotate = (id: string, overlapHours: unknown) =>
    api.call('POST', `${path}/${id}/rotate`, { as, body: { overlapHours } });
  const use = async (secret: string) => (await api.call('GET', '/api/clinics', { as: basic(secret) })).status;
  const listed = async (id: string) =>
    (await api.call('GET', path, { as })).json.find(({ _id }: { _id: string }) => _id === id);

  test('both secrets work for the overlap, a further rotation ends the older one, and 0 hours end it at once', async () => {
    const { secret: first, ...key } = await create();
    expect(await use(first)).toBe(200);
    const { secret: second, ...rotated } = (await rotate(key._id, 24)).json;
    expect(second).toMatch(/^chairside_key_[\w-]{43}$/);
    expect(rotated).toMatchObject({
      _id: key._id,
      lastRotationTime: expect.any(String),
      formerSecret: { expiryTime: expect.any(String), lastUsedTime: expect.any(String) },
    });
    expect(rotated).not.toHaveProperty('lastUsedTime');
    expect([await use(first), await use(second)]).toEqual([200, 200]);
    expect(await listed(key._id)).toHaveProperty('lastUsedTime');
    const third = (await rotate(key._id, 1)).json.secret;
    letPass(1000);
    expect([await use(first), await use(second), await use(third)]).toEqual([401, 200, 200]);
    const fourth = (await rotate(key._id, 0)).json;
    letPass(1000);
    expect([await use(second), await use(third), await use(fourth.secret)]).toEqual([401, 401, 200]);
    expect(await listed(key._id)).not.toHaveProperty('formerSecret');
    const entries = await api.call('GET', `/api/auditentries?recordId=${key._id}&action=rotated`, { as });
    expect(entries.json.map(({ changes }: any) => changes[0].value).toSorted()).toEqual([0, 1, 24]);
  });

  test('the former secret ends at its moment, and says so', async () => {
    const { secret, _id } = await create();
    const { formerSecret } = (await rotate(_id, 1)).json;
    const now = vi.spyOn(clock, 'now');
    onTestFinished(() => now.mockRestore());
    now.mockReturnValue(new Date(Date.parse(formerSecret.expiryTime) - 1));
    expect(await use(secret)).toBe(200);
    now.mockReturnValue(new Date(formerSecret.expiryTime));
    await expect.poll(() => use(secret)).toBe(401);
  });

  test('both secrets share one limit', async () => {
    const { secret, _id } = await create();
    const next = (await rotate(_id, 1)).json.secret;
    const remaining = async (of: string) => {
      const { headers } = await api.call('GET', '/api/clinics', { as: basic(of) });
      return Number(/"key";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
    };
    expect([await remaining(secret), await remaining(next)]).toEqual([599, 598]);
  });

  test.each([-1, 169, 1.5, '1'])('refuses an overlap of %j hours', async (hours) => {
    const { _id } = await create();
    expect((await rotate(_id, hours)).status).toBe(400);
  });

  test('two at once leave one of the two new secrets, and one former one', async () => {
    const { _id } = await create();
    const made = await Promise.all([rotate(_id, 1), rotate(_id, 1)]);
    const secrets = made.map(({ json }) => json.secret);
    expect(await Promise.all(secrets.map(use))).toEqual([200, 200]);
    expect((await rotate('missing', 1)).status).toBe(404);
  });
});

test('a key learns about itself, and its ref stays over a rotation', async () => {
  const [clinicId] = api.practice.clinicIds;
  const { secret, _id } = await create({ clinicIds: [clinicId], scopes: [] });
  const current = async (of: string) => (await api.call('GET', `${path}/current`, { as: basic(of) })).json;
  const own = await current(secret);
  expect(own).toEqual({
    name: 'Recall tool',
    scopes: [],
    clinicIds: [clinicId],
    rateLimit: 600,
    ref: expect.any(String),
  });
  const { secret: next } = (
    await api.call('POST', `${path}/${_id}/rotate`, { as, body: { overlapHours: 0 } })
  ).json;
  expect(await current(next)).toEqual({ ...own, lastRotationTime: expect.any(String) });
  expect((await current(api.practice.apiKey)).ref).not.toBe(own.ref);
  expect((await api.call('GET', `${path}/current`, { as })).json.message).toContain(
    'GET /api/sessions/current',
  );
  expect((await api.call('GET', path, { as })).text).not.toContain(own.ref);
});

test.each([
  ['adds a clinic', { clinicIds: [0] }, { clinicIds: [0, 1] }],
  ['lifts its clinics', { clinicIds: [0] }, { clinicIds: null }],
  ['moves its end', { expiryTime: '2040-01-01T00:00:00Z' }, { expiryTime: '2040-01-01T00:00:01Z' }],
  ['lifts its end', { expiryTime: '2040-01-01T00:00:00Z' }, { expiryTime: null }],
])('a change that %s needs a confirmed password', async (_name, fields, change) => {
  const withIds = ({ clinicIds, ...others }: { clinicIds?: number[] | null }) => ({
    ...others,
    ...(clinicIds === null && { clinicIds }),
    ...(clinicIds && { clinicIds: clinicIds.map((index) => api.practice.clinicIds[index]) }),
  });
  const { _id } = await create(withIds(fields as object));
  await api.database.collection('sessions').updateMany({}, { $set: { confirmedTime: new Date(0) } });
  onTestFinished(async () => {
    await api.database.collection('sessions').updateMany({}, { $set: { confirmedTime: new Date() } });
  });
  const put = (body: object) => api.call('PUT', `${path}/${_id}`, { as, body });
  expect((await put(withIds(change as object))).json.details).toMatchObject({
    requiredConfirmation: 'password',
  });
  expect((await put(withIds(fields as object))).status).toBe(200);
});

describe('reveal', () => {
  const reveal = (id: string, password: string) =>
    api.call('POST', `${path}/${id}/reveal`, { as, body: { password } });

  test('returns the secret if the administrator enters the password again', async () => {
    const created = await create();
    const { status, json } = await reveal(created._id, api.practice.administrator.password);
    expect({ status, secret: json.secret }).toEqual({ status: 200, secret: created.secret });
  });

  test('refuses a wrong password, and does not check the sixth attempt in a minute', async () => {
    const { _id } = await create();
    for (let attempt = 0; attempt < 5; attempt++) expect((await reveal(_id, 'wrong')).status).toBe(403);
    const { status, headers } = await reveal(_id, api.practice.administrator.password);
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

test.each([
  ['an unknown scope', { scopes: ['patients:admin'] }, 'scopes.0'],
  ['no name', { name: '' }, 'name'],
  ['a rate limit of 0', { rateLimit: 0 }, 'rateLimit'],
  ['an unknown field', { secret: 'mine' }, 'secret'],
])('refuses %s', async (_name, fields, at) => {
  const { status, json } = await api.call('POST', path, { as, body: { name: 'x', ...fields } });
  expect(status).toBe(400);
  expect(json.details.issues[0].path).toBe(at);
});
