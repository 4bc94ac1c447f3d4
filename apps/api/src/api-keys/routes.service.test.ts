import { basic, createPractice } from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
