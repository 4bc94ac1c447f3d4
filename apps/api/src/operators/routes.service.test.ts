import { createPractice } from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from '../../test/api.ts';

const PASSWORD = 'a long enough password';
let api: TestApi;
let as: string;
let counter = 0;
beforeAll(async () => {
  api = await openTestApi();
  as = token(api.practice.administrator.token);
});
afterAll(() => api.close());

const nextEmail = () => `Operator.${counter++}@example.com`;
/** Creates an operator who need not change the password. */
const create = async (role: 'administrator' | 'staff' = 'staff') => {
  const operator = { email: nextEmail(), password: PASSWORD, role };
  const made = await api.practice.store.operators.create(operator, new Date());
  if (typeof made === 'string') throw new Error('the new e-mail address is taken');
  return made;
};
const signIn = (email: string, password = PASSWORD) =>
  api.call('POST', '/api/sessions', { as: '', body: { email, password } });
const put = (id: string, body: object, by = as) => api.call('PUT', `/api/operators/${id}`, { as: by, body });

describe('POST and GET /api/operators', () => {
  test('creates an operator who can sign in and must change the password, and lists it without its password', async () => {
    const email = nextEmail();
    const body = { email, password: PASSWORD, role: 'staff' };
    const { status, json: made } = await api.call('POST', '/api/operators', { as, body });
    expect(status).toBe(200);
    expect(made).toEqual({
      _id: expect.any(String),
      email,
      role: 'staff',
      active: true,
      passwordChangeRequired: true,
      factors: [],
      createdTime: expect.stringMatching(/Z$/),
    });
    expect((await signIn(email)).status).toBe(200);
    const list = await api.call('GET', '/api/operators', { as });
    expect(list.json).toContainEqual({ ...made, lastSignInTime: expect.any(String) });
    expect(list.text.replaceAll('passwordChangeRequired', '')).not.toMatch(/password|hash/i);
  });

  test('refuses a taken address, a short password and an unknown role', async () => {
    const { email } = await create();
    const taken = { email: email.toUpperCase(), password: PASSWORD, role: 'staff' };
    for (const [body, path] of [
      [taken, 'email'],
      [{ ...taken, password: 'short' }, 'password'],
      [{ ...taken, role: 'dentist' }, 'role'],
    ] as const) {
      const { status, json } = await api.call('POST', '/api/operators', { as, body });
      expect(status).toBe(400);
      expect(json.details.issues[0].path).toBe(path);
    }
  });
});

test('refuses the 201st operator of an organization, until one is deleted', async () => {
  const { administrator, staff, organizationId } = await createPractice(api.store);
  const by = token(administrator.token);
  const stored = Array.from({ length: 198 }, (_, index) => `operator-${index}`);
  await api.database
    .collection('operators')
    .insertMany(stored.map((_id) => ({ _id, organizationId, emailLowerCase: _id, role: 'staff' })));
  const post = () =>
    api.call('POST', '/api/operators', {
      as: by,
      body: { email: nextEmail(), password: PASSWORD, role: 'staff' },
    });
  const { status, json } = await post();
  expect([status, json.name, json.message]).toEqual([
    400,
    'ValidationError',
    'The request is not valid: the organization already has 200 operators, the maximum; delete one first.',
  ]);
  expect((await api.call('DELETE', `/api/operators/${staff._id}`, { as: by })).status).toBe(200);
  const made = await post();
  expect(made.status).toBe(200);
  expect(made.json).not.toHaveProperty('slot');
});

test('lets an organization try twenty e-mail addresses an hour, and audits each try', async () => {
  const { administrator, staff } = await createPractice(api.store);
  const by = token(administrator.token);
  const { email } = api.stranger.staff;
  const rename = (to: string) => put(staff._id, { email: to }, by);
  const body = { email, password: PASSWORD, role: 'staff' };
  const createTaken = () => api.call('POST', '/api/operators', { as: by, body });
  const responses = [];
  for (let tries = 0; tries < 10; tries++) responses.push(await createTaken(), await rename(email));
  expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(400));
  // An unchanged address does not count as a try.
  expect((await rename(staff.email)).status).toBe(200);
  const refused = [await rename(email), await createTaken()];
  expect(refused.map(({ status }) => status)).toEqual([429, 429]);
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(60);
  const { json } = await api.call('GET', '/api/auditentries?kind=operator&limit=100', { as: by });
  const results = json.map(({ result }: { result: string }) => result);
  expect(results.filter((result: string) => result === 'ValidationError')).toHaveLength(20);
  expect(JSON.stringify(json)).not.toContain(email);
});

describe('PUT /api/operators/{operatorId}', () => {
  test("refuses a change of the caller's own password", async () => {
    const { status, json } = await put(api.practice.administrator._id, { password: 'a thief chose it' });
    expect(status).toBe(400);
    expect(json.details.issues).toMatchObject([
      { path: 'password', message: expect.stringContaining('/api/sessions/current/password') },
    ]);
  });

  test('ends the sessions of a disabled operator immediately, and lets an enabled operator sign in again', async () => {
    const { _id, email } = await create();
    const session = token((await signIn(email)).json.token);
    const disabled = await put(_id, { active: false });
    expect(disabled.json).toMatchObject({ active: false, disabledTime: expect.any(String) });
    expect((await api.call('GET', '/api/sessions/current', { as: session })).status).toBe(401);
    expect((await signIn(email)).status).toBe(401);
    const enabled = await put(_id, { ...disabled.json, active: true });
    expect(enabled.json).not.toHaveProperty('disabledTime');
    expect((await signIn(email)).status).toBe(200);
  });

  test('ends the sessions if the role or the password changes, and keeps them if the address changes', async () => {
    const { _id, email } = await create();
    const session = token((await signIn(email)).json.token);
    const isIn = async () => (await api.call('GET', '/api/sessions/current', { as: session })).status === 200;
    await put(_id, { email: `renamed.${email}` });
    expect(await isIn()).toBe(true);
    await put(_id, { role: 'administrator' });
    expect(await isIn()).toBe(false);
    await put(_id, { password: 'another long password' });
    expect((await signIn(`renamed.${email}`)).status).toBe(401);
    expect((await signIn(`renamed.${email}`, 'another long password')).status).toBe(200);
  });

  test('makes both of two concurrent changes', async () => {
    const { _id, email } = await create();
    await Promise.all([put(_id, { role: 'administrator' }), put(_id, { password: 'changed meanwhile' })]);
    const { json } = await signIn(email, 'changed meanwhile');
    expect(json.role).toBe('administrator');
  });
});

describe('the last administrator', () => {
  test('cannot be deleted, disabled or made staff', async () => {
    const by = token(api.stranger.administrator.token);
    const { _id } = api.stranger.administrator;
    const attempts = [
      await put(_id, { role: 'staff' }, by),
      await put(_id, { active: false }, by),
      await api.call('DELETE', `/api/operators/${_id}`, { as: by }),
    ];
    for (const { status, json } of attempts) {
      expect({ status, name: json.name }).toEqual({ status: 409, name: 'Conflict' });
    }
    expect((await api.call('GET', '/api/operators', { as: by })).status).toBe(200);
  });

  test('remains if two administrators delete each other at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const second = await create('administrator');
      const theirs = token((await signIn(second.email)).json.token);
      await Promise.all([
        api.call('DELETE', `/api/operators/${second._id}`, { as }),
        put(api.practice.administrator._id, { role: 'staff' }, theirs),
      ]);
      const left = await api.database.collection('operators').countDocuments({
        organizationId: api.practice.organizationId,
        role: 'administrator',
        disabledTime: { $exists: false },
      });
      expect(left).toBeGreaterThan(0);
      // Makes the first operator an administrator again for the next round.
      await api.database
        .collection('operators')
        .updateOne({ _id: api.practice.administrator._id }, { $set: { role: 'administrator' } });
      const { email, password } = api.practice.administrator;
      as = token((await signIn(email, password)).json.token);
    }
  });
});

test('DELETE returns the operator and ends the sessions', async () => {
  const made = await create();
  const session = token((await signIn(made.email)).json.token);
  const { status, json } = await api.call('DELETE', `/api/operators/${made._id}`, { as });
  expect({ status, json }).toEqual({ status: 200, json: { ...made, lastSignInTime: expect.any(String) } });
  expect((await api.call('GET', '/api/sessions/current', { as: session })).status).toBe(401);
  expect((await api.call('GET', `/api/operators/${made._id}/sessions`, { as })).status).toBe(404);
});

test('GET /api/operators/{operatorId}/sessions lists the open sessions without their tokens', async () => {
  const { _id, email } = await create();
  const first = await signIn(email);
  const second = await signIn(email);
  await api.call('DELETE', '/api/sessions/current', { as: token(first.json.token) });
  const { json, text } = await api.call('GET', `/api/operators/${_id}/sessions`, { as });
  const { token: secret, ...session } = second.json;
  expect(json).toEqual([session]);
  expect(text).not.toContain(secret);
});

describe('DELETE /api/operators/{operatorId}/sessions', () => {
  test('ends all sessions of the operator, returns the open ones, and lets the operator sign in again', async () => {
    const { _id, email } = await create();
    const sessions = [(await signIn(email)).json, (await signIn(email)).json];
    const gone = (await signIn(email)).json;
    await api.call('DELETE', '/api/sessions/current', { as: token(gone.token) });
    const { status, json, text } = await api.call('DELETE', `/api/operators/${_id}/sessions`, { as });
    expect(status).toBe(200);
    expect(json).toEqual(sessions.map(({ token: _token, ...session }) => session));
    for (const session of sessions) {
      expect(text).not.toContain(session.token);
      expect((await api.call('GET', '/api/sessions/current', { as: token(session.token) })).status).toBe(401);
    }
    expect((await api.call('DELETE', `/api/operators/${_id}/sessions`, { as })).json).toEqual([]);
    expect(await api.database.collection('sessions').countDocuments({ operatorId: _id })).toBe(0);
    expect((await signIn(email)).status).toBe(200);
  });

  test('also ends the session of a sign-in in progress', async () => {
    const { email, _id } = await create();
    const document = await api.database.collection('operators').findOne({ _id });
    const before = (await signIn(email)).json;
    // Simulates a sign-in that reads the operator before the sessions are ended, and stores its session afterwards.
    const stored = await api.database.collection('sessions').findOne({ _id: before._id });
    expect((await api.call('DELETE', `/api/operators/${_id}/sessions`, { as })).status).toBe(200);
    await api.database.collection('sessions').insertOne({ ...stored, _id: before._id });
    expect((await api.call('GET', '/api/sessions/current', { as: token(before.token) })).status).toBe(401);
    const after = await api.database.collection('operators').findOne({ _id });
    expect(after?.accessRevision).toBe((document?.accessRevision ?? 0) + 1);
  });

  test("ends the caller's own sessions too", async () => {
    const { _id, email } = await create('administrator');
    const own = token((await signIn(email)).json.token);
    const { status, json } = await api.call('DELETE', `/api/operators/${_id}/sessions`, { as: own });
    expect({ status, length: json.length }).toEqual({ status: 200, length: 1 });
    expect((await api.call('GET', '/api/sessions/current', { as: own })).status).toBe(401);
  });
});

describe('PUT /api/sessions/current/password', () => {
  const change = (session: string, body: object) =>
    api.call('PUT', '/api/sessions/current/password', { as: token(session), body });

  test('changes the password and ends the other sessions', async () => {
    const { email } = await create();
    const [mine, other] = [(await signIn(email)).json.token, (await signIn(email)).json.token];
    const { status } = await change(mine, { password: PASSWORD, newPassword: 'a new long password' });
    expect(status).toBe(200);
    expect((await api.call('GET', '/api/sessions/current', { as: token(mine) })).status).toBe(200);
    expect((await api.call('GET', '/api/sessions/current', { as: token(other) })).status).toBe(401);
    expect((await signIn(email)).status).toBe(401);
    expect((await signIn(email, 'a new long password')).status).toBe(200);
  });

  test('refuses a wrong current password and a short or unchanged new one, and throttles guessing', async () => {
    const { email } = await create();
    const { token: mine } = (await signIn(email)).json;
    expect((await change(mine, { password: PASSWORD, newPassword: 'short' })).status).toBe(400);
    expect((await change(mine, { password: PASSWORD, newPassword: PASSWORD })).status).toBe(400);
    for (let tries = 0; tries < 5; tries++) {
      expect((await change(mine, { password: 'wrong', newPassword: 'a new long password' })).status).toBe(
        403,
      );
    }
    expect((await change(mine, { password: PASSWORD, newPassword: 'a new long password' })).status).toBe(429);
  });
});
