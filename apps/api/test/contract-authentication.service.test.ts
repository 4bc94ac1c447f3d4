import { basic } from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { token } from './api.ts';
import { type ContractPractice, endpoints, identifier, openContractPractice } from './contract-practice.ts';

/*
 * The chapter "Authentication" of the service description. Rules that name a scope or a status for each endpoint are in
 * contract-endpoints.service.test.ts.
 */
let api: ContractPractice;
let administrator: string;
beforeAll(async () => {
  api = await openContractPractice();
  administrator = token(api.practice.administrator.token);
});
afterAll(() => api.close());

const base64 = (text: string) => Buffer.from(text).toString('base64');
const statusAs = async (as: string, path = '/api/patients') => (await api.call('GET', path, { as })).status;
const createKey = (fields: object = {}) =>
  api.ok('POST', '/api/apikeys', { name: 'Recall', ...fields }, administrator);

const scopes = [
  'appointments:read',
  'appointments:write',
  'clinics:read',
  'invoices:read',
  'patients:read',
  'patients:write',
  'payments:read',
  'treatments:read',
] as const;

describe('Schemes', () => {
  test('| API key (HTTP Basic) | Authorization | Basic <base64 of the key secret> |', async () => {
    expect(await statusAs(`Basic ${base64(api.practice.apiKey)}`)).toBe(200);
  });

  test('the encoded text is the secret alone, with no username and no colon', async () => {
    const { apiKey } = api.practice;
    for (const encoded of [`user:${apiKey}`, `:${apiKey}`, `${apiKey}:`]) {
      expect(await statusAs(`Basic ${base64(encoded)}`)).toBe(401);
    }
    expect(await statusAs(`Basic ${apiKey}`)).toBe(401);
  });

  test('| Operator access token | Authorization | Token <ACCESS_TOKEN> |', async () => {
    expect(await statusAs(`Token ${api.practice.staff.token}`)).toBe(200);
    expect(await statusAs(`Token ${base64(api.practice.staff.token)}`)).toBe(401);
  });

  test('Two schemes exist: neither takes the credentials of the other, and there is no third', async () => {
    expect(await statusAs(`Token ${api.practice.apiKey}`)).toBe(401);
    expect(await statusAs(`Basic ${base64(api.practice.staff.token)}`)).toBe(401);
    expect(await statusAs(`Bearer ${api.practice.staff.token}`)).toBe(401);
    expect(await statusAs(api.practice.staff.token)).toBe(401);
  });

  test('the record endpoints accept either, the webhook subscription endpoints accept only the second', async () => {
    const both = [basic(api.practice.apiKey), administrator];
    for (const path of ['/api/appointments', '/api/clinics', '/api/invoices', '/api/treatments']) {
      for (const as of both) expect(await statusAs(as, path)).toBe(200);
    }
    const path = '/api/webhooksubscriptions';
    expect(await Promise.all(both.map((as) => statusAs(as, path)))).toEqual([403, 200]);
  });
});

describe('Rules', () => {
  test('1. An API key belongs to one organization', async () => {
    const { secret } = await createKey();
    const clinics = await api.ok('GET', '/api/clinics', undefined, basic(secret));
    expect(clinics.map(({ _id }: { _id: string }) => _id)).toContain(api.clinicId);
    const theirs = await api.call('GET', `/api/patients?clinicId=${api.stranger.clinicIds[0]}`, {
      as: basic(secret),
    });
    expect(theirs.json).toEqual([]);
  });

  test('1. … and can be created only by an organization administrator.', async () => {
    const body = { name: 'Recall' };
    for (const as of [basic(api.practice.apiKey), token(api.practice.staff.token)]) {
      expect((await api.call('POST', '/api/apikeys', { as, body })).status).toBe(403);
    }
    await api.ok('POST', '/api/apikeys', body, administrator);
  });

  test('2. The secret is shown at creation.', async () => {
    const { secret, _id } = await createKey();
    expect(secret).toEqual(identifier);
    expect(await statusAs(basic(secret))).toBe(200);
    const list = await api.ok('GET', '/api/apikeys', undefined, administrator);
    expect(list).toContainEqual(expect.objectContaining({ _id }));
    expect(JSON.stringify(list)).not.toContain(secret);
  });

  test('2. An administrator can reveal it again by re-entering their password.', async () => {
    const { secret, _id } = await createKey();
    const path = `/api/apikeys/${_id}/reveal`;
    const { password } = api.practice.administrator;
    expect((await api.ok('POST', path, { password }, administrator)).secret).toBe(secret);
    const attempts = [
      { as: administrator, body: { password: 'another password' } },
      { as: administrator, body: {} },
      { as: token(api.practice.staff.token), body: { password: api.practice.staff.password } },
      { as: basic(secret), body: { password } },
    ];
    const responses = await Promise.all(attempts.map((options) => api.call('POST', path, options)));
    expect(responses.map(({ status }) => status)).toEqual([403, 400, 403, 403]);
    for (const { text } of responses) expect(text).not.toContain(secret);
  });

  test.each(scopes)('3. The scopes in use: %s', async (scope) => {
    const { _id, secret } = await createKey({ scopes: ['clinics:read'] });
    const updated = await api.ok('PUT', `/api/apikeys/${_id}`, { scopes: [scope] }, administrator);
    expect(updated.scopes).toEqual([scope]);
    const [, path] = endpoints.find(([method, , each]) => each === scope && method !== 'DELETE') ?? [];
    expect(path).toBeDefined();
    // A change by an administrator takes effect within a second.
    const method = scope.endsWith(':read') ? 'GET' : 'POST';
    const body = method === 'POST' ? { body: { clinicId: api.clinicId } } : {};
    const call = async () => (await api.call(method, path ?? '', { as: basic(secret), ...body })).status;
    await expect.poll(call).toBe(200);
  });

  test.each(['patients', 'patients:delete', 'invoices:write', 'webhooksubscriptions:read', '*'])(
    '3. Each key carries scopes named <resource>:read or <resource>:write: not %s',
    async (scope) => {
      const body = { name: 'x', scopes: [scope] };
      expect((await api.call('POST', '/api/apikeys', { as: administrator, body })).status).toBe(400);
    },
  );

  test('4. New keys start read-only', async () => {
    const key = await createKey();
    expect(key.scopes.every((scope: string) => scope.endsWith(':read'))).toBe(true);
    const as = basic(key.secret);
    const body = { clinicId: api.clinicId };
    for (const path of ['/api/patients', '/api/appointments']) {
      await api.ok('GET', path, undefined, as);
      expect((await api.call('POST', path, { as, body })).status).toBe(403);
    }
  });

  test('4. … and are widened explicitly.', async () => {
    const early = { name: 'x', scopes: ['patients:write'] };
    expect((await api.call('POST', '/api/apikeys', { as: administrator, body: early })).status).toBe(400);
    const { _id, secret } = await createKey();
    await api.ok('PUT', `/api/apikeys/${_id}`, { scopes: ['patients:write'] }, administrator);
    expect(
      (await api.call('POST', '/api/patients', { as: basic(secret), body: { clinicId: api.clinicId } }))
        .status,
    ).toBe(200);
  });

  test('5. When a key lacks the scope that an endpoint requires, the response is 403.', async () => {
    expect(await statusAs(await api.keyWith(['clinics:read']))).toBe(403);
    const none = await api.keyWith([]);
    for (const [method, path] of endpoints) {
      const filled = path.replace(/\{.*/, 'any');
      const body = method === 'POST' || method === 'PUT' ? { body: {} } : {};
      expect((await api.call(method, filled, { as: none, ...body })).status).toBe(403);
    }
  });

  test('6. When credentials are missing or invalid, the response is 401.', async () => {
    for (const as of ['', 'Basic', 'Token', 'Basic bm9uZQ==', 'Token none', 'none']) {
      for (const path of ['/api/patients', '/api/appointments', '/api/webhooksubscriptions']) {
        expect(await statusAs(as, path)).toBe(401);
      }
    }
  });

  test('7. Requests made with a key are rate limited per key.', async () => {
    const [first, second] = [
      await api.keyWith(['patients:read'], 2),
      await api.keyWith(['patients:read'], 2),
    ];
    const statuses = async (as: string) => [await statusAs(as), await statusAs(as), await statusAs(as)];
    expect(await statuses(first)).toEqual([200, 200, 429]);
    expect(await statuses(second)).toEqual([200, 200, 429]);
    expect(await statusAs(token(api.practice.staff.token))).toBe(200);
  });
});
