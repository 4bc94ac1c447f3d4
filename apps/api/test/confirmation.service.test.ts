import { clock } from '@chairside/domain';
import { createPractice, type Practice } from '@chairside/test-support';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from './api.ts';

const PASSWORD = 'a long enough password';
let api: TestApi;
let practice: Practice;
let as: string;
beforeAll(async () => {
  api = await openTestApi();
});
beforeEach(async () => {
  practice = await createPractice(api.store);
  as = token(practice.administrator.token);
});
afterAll(() => api.close());

/** Sets the confirmation time of an operator's sessions to this many minutes ago. */
const confirmedAgo = async (operatorId: string, minutes: number): Promise<void> => {
  const confirmedTime = new Date(Date.now() - minutes * 60_000);
  await api.database.collection('sessions').updateMany({ operatorId }, { $set: { confirmedTime } });
};
const call = (method: string, path: string, body?: object, by = as) =>
  api.call(method, path, { as: by, ...(body && { body }) });
const needed = { requiredRole: 'administrator', requiredConfirmation: 'password' };

describe('routes that need a password confirmed in the last ten minutes', () => {
  test('refuse an older confirmation regardless of the body, and accept a new one', async () => {
    const confirmed = api.app.routeList.filter(
      ({ access }) => access !== 'public' && 'role' in access && access.confirmed === true,
    );
    expect(confirmed.map(({ method, url }) => `${method} ${url}`).sort()).toEqual([
      'DELETE /api/operators/:operatorId',
      'DELETE /api/operators/:operatorId/factors',
      'DELETE /api/operators/:operatorId/sessions',
      'POST /api/apikeys',
      'POST /api/apikeys/:apiKeyId/rotate',
      'POST /api/operators',
      'POST /api/operators/:operatorId/invitation',
      'POST /api/sessions/current/tokens',
      'PUT /api/operators/:operatorId',
      'PUT /api/organization',
    ]);
    const responding = async () => {
      const made = [];
      // The order is reversed, so that the sessions of the operator end before the operator is deleted.
      for (const { method, url } of confirmed.toReversed()) {
        const path = url.replace(':operatorId', practice.staff._id);
        made.push(await call(method, path, method === 'DELETE' ? undefined : { unknown: 1 }));
      }
      return made;
    };
    await confirmedAgo(practice.administrator._id, 11);
    for (const { status, json } of await responding()) {
      expect(status).toBe(403);
      expect(json.details).toMatchObject(needed);
    }
    const { password } = practice.administrator;
    const asked = clock.now().getTime();
    const { status, json } = await call('POST', '/api/sessions/current/confirm', { password });
    expect(status).toBe(200);
    expect(Date.parse(json.confirmedTime)).toBeGreaterThanOrEqual(asked);
    expect((await responding()).map((response) => response.status).sort()).toEqual([
      // The operator of the invitation has a password, and no factor.
      200, 200, 400, 400, 400, 400, 400, 400, 409, 409,
    ]);
  });

  test('adding scopes to a key needs a confirmation; removing scopes, renaming and deleting do not', async () => {
    const { json: key } = await call('POST', '/api/apikeys', { name: 'x', scopes: ['patients:read'] });
    const put = (body: object) => call('PUT', `/api/apikeys/${key._id}`, body);
    await confirmedAgo(practice.administrator._id, 11);
    for (const wider of [{ scopes: ['patients:read', 'patients:write'] }, { rateLimit: 601 }]) {
      const { status, json } = await put(wider);
      expect(status).toBe(403);
      expect(json.details).toMatchObject(needed);
    }
    expect((await put({ name: 'y', rateLimit: 600, scopes: [] })).status).toBe(200);
    expect((await put({ scopes: ['patients:read'] })).status).toBe(403);
    expect((await call('DELETE', `/api/apikeys/${key._id}`)).status).toBe(200);
  });

  test('a stolen token cannot create another administrator', async () => {
    await confirmedAgo(practice.administrator._id, 11);
    const thief = { email: `thief.${practice.organizationId}@example.com`, password: PASSWORD };
    expect((await call('POST', '/api/operators', { ...thief, role: 'administrator' })).status).toBe(403);
    expect((await call('PUT', `/api/operators/${practice.staff._id}`, { password: PASSWORD })).status).toBe(
      403,
    );
    expect((await call('POST', '/api/sessions/current/confirm', { password: 'a guess' })).status).toBe(403);
  });

  test('a wrong password does not confirm, and guessing is throttled', async () => {
    await confirmedAgo(practice.administrator._id, 11);
    const confirm = (password: string) => call('POST', '/api/sessions/current/confirm', { password });
    for (let tries = 0; tries < 5; tries++) expect((await confirm('wrong')).status).toBe(403);
    expect((await confirm(practice.administrator.password)).status).toBe(429);
    expect((await call('POST', '/api/apikeys', { name: 'x' })).status).toBe(403);
  });

  test('subscriptions need no confirmation, because the service description has none', async () => {
    await confirmedAgo(practice.administrator._id, 11);
    const body = { clinicId: practice.clinicIds[0], url: 'https://example.com' };
    const { json } = await call('POST', '/api/webhooksubscriptions', body);
    const one = `/api/webhooksubscriptions/${json._id}`;
    expect((await call('PUT', one, { active: false })).status).toBe(200);
    expect((await call('DELETE', one)).status).toBe(200);
  });
});

describe('a password that somebody else set', () => {
  const signIn = async (email: string, password = PASSWORD) => {
    const { status, json } = await api.call('POST', '/api/sessions', { as: '', body: { email, password } });
    expect(status).toBe(200);
    return token(json.token);
  };
  const chosenFor = async (): Promise<string> => {
    const email = `new.${practice.organizationId}@example.com`;
    const body = { email, password: PASSWORD, role: 'administrator' };
    expect((await call('POST', '/api/operators', body)).status).toBe(200);
    return signIn(email);
  };

  test('allows only its change and the sign-out until it is changed', async () => {
    const by = await chosenFor();
    const guarded = api.app.routeList.filter(
      ({ method, access }) => access !== 'public' && method !== 'HEAD',
    );
    const open = guarded.filter(
      ({ access }) => access !== 'public' && 'role' in access && access.beforePasswordChange,
    );
    expect(open.map(({ method, url }) => `${method} ${url}`).sort()).toEqual([
      'DELETE /api/sessions/current',
      'PUT /api/sessions/current/password',
    ]);
    for (const { method, url } of guarded.filter((route) => !open.includes(route))) {
      const body = method === 'GET' ? undefined : {};
      const { status, json } = await call(method, url.replace(/:\w+/g, 'x'), body, by);
      expect({ method, url, status }).toEqual({ method, url, status: 403 });
      expect(json.details.requiredPasswordChange).toBe(true);
    }
    expect((await call('DELETE', '/api/sessions/current', undefined, by)).status).toBe(200);
  });

  test('allows the other routes in the same session after the change', async () => {
    const by = await chosenFor();
    const change = { password: PASSWORD, newPassword: 'a password of my own' };
    expect((await call('PUT', '/api/sessions/current/password', change, by)).status).toBe(200);
    expect((await call('GET', '/api/operators', undefined, by)).status).toBe(200);
  });

  test('must be changed again after a reset by an administrator', async () => {
    await call('PUT', `/api/operators/${practice.staff._id}`, { password: PASSWORD });
    const by = await signIn(practice.staff.email);
    const { status, json } = await call('GET', '/api/patients', undefined, by);
    expect({ status, required: json.details.requiredPasswordChange }).toEqual({
      status: 403,
      required: true,
    });
  });
});
