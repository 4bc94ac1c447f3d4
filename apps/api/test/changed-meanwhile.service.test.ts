import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { openPasswords, type Passwords } from '@chairside/mongodb';
import { createKey, createPractice, type Practice } from '@chairside/test-support';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ApiResponse, letPass, openTestApi, type TestApi, token } from './api.ts';

/*
 * Requests that are in flight while the access of their operator changes. Most of them wait for a password hash.
 */
let api: TestApi;
let practice: Practice;

const hashing = openPasswords();
const RESET = 'the password after the reset';
/** While the gate is set, every hash waits until it opens. `arrived` is called for each hash that begins to wait. */
let gate: { arrived: () => void; opened: Promise<void> } | undefined;
const atTheGate = async (): Promise<void> => {
  gate?.arrived();
  await gate?.opened;
};
const passwords: Passwords = {
  ...hashing,
  hash: async (...given) => atTheGate().then(() => hashing.hash(...given)),
  matches: async (...given) => atTheGate().then(() => hashing.matches(...given)),
};

beforeAll(async () => {
  api = await openTestApi([], [], { passwords });
});
beforeEach(async () => {
  practice = await createPractice(api.store);
});
afterAll(() => api.close());

/** Makes a request, and makes the change while the password of the request waits to be hashed. */
const meanwhile = async (
  ask: () => Promise<ApiResponse>,
  change: () => Promise<unknown>,
): Promise<ApiResponse> => {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const hasArrived = new Promise<void>((arrived) => {
    gate = { arrived, opened };
  });
  const response = ask();
  await hasArrived;
  gate = undefined;
  await change();
  open();
  return response;
};

const hashOf = async ({ _id }: { _id: string }): Promise<{ passwordHash: string }> => {
  const found = await api.database
    .collection<{ _id: string; passwordHash: string }>('operators')
    .findOne({ _id });
  if (found === null) throw new Error('the operator does not exist');
  return found;
};
const administrator = () => token(practice.administrator.token);
const call = (method: string, path: string, body: object, as = administrator()) =>
  api.call(method, path, { as, body });
const signIn = ({ email, password } = practice.staff) =>
  api.call('POST', '/api/sessions', { as: '', body: { email, password } });
const change = (body: object, who = practice.staff) => call('PUT', `/api/operators/${who._id}`, body);
const promoted = async () => {
  await practice.store.operators.update(practice.staff._id, { role: 'administrator' }, new Date());
};

test('a session has the role that is stored when the request is made', async () => {
  await promoted();
  const as = token((await signIn()).json.token);
  expect((await api.call('GET', '/api/apikeys', { as })).status).toBe(200);
  const operators = api.database.collection('operators');
  await operators.updateOne({ _id: practice.staff._id }, { $set: { role: 'staff' } });
  expect((await api.call('GET', '/api/apikeys', { as })).status).toBe(403);
  await operators.updateOne({ _id: practice.staff._id }, { $set: { disabledTime: new Date() } });
  expect((await api.call('GET', '/api/clinics', { as })).status).toBe(401);
  await operators.updateOne(
    { _id: practice.staff._id },
    { $unset: { disabledTime: '', slot: '' }, $set: { organizationId: api.stranger.organizationId } },
  );
  expect((await api.call('GET', '/api/clinics', { as })).status).toBe(401);
});

test.each([
  ['demoted', { role: 'staff' }],
  ['disabled', { active: false }],
])(
  'a sign-in in flight while its operator is %s does not grant the previous access',
  async (_name, changes) => {
    await promoted();
    const response = await meanwhile(
      () => signIn(),
      () => practice.store.operators.update(practice.staff._id, changes as { role: 'staff' }, new Date()),
    );
    expect(response.status).toBe(401);
    const open = await practice.store.operators.sessions(practice.staff._id, new Date());
    expect(open).toEqual([]);
  },
);

test('refuses a sign-in in flight while the password is reset', async () => {
  const { password, _id } = practice.staff;
  const document = { _id: _id };
  const operators = api.database.collection('operators');
  const passwordHash = await hashing.hash(RESET, 'here');
  const response = await meanwhile(
    () => signIn(),
    () => operators.updateOne(document, { $set: { passwordHash, accessRevision: 1 } }),
  );
  expect(response.status).toBe(401);
  expect((await signIn({ ...practice.staff, password: RESET })).status).toBe(200);
  expect((await signIn({ ...practice.staff, password })).status).toBe(401);
});

test("a change of the operator's own password in flight does not undo a reset", async () => {
  const { _id, password, token: session } = practice.staff;
  const operators = api.database.collection('operators');
  const passwordHash = await hashing.hash(RESET, 'here');
  const response = await meanwhile(
    () =>
      call(
        'PUT',
        '/api/sessions/current/password',
        { password, newPassword: 'the thief chose it' },
        token(session),
      ),
    () => operators.updateOne({ _id: _id }, { $set: { passwordHash, accessRevision: 1 } }),
  );
  expect(response.status).toBe(403);
  expect((await hashOf(practice.staff)).passwordHash).toBe(passwordHash);
});

test("changes the operator's own password only while the confirmation is valid and the session exists", async () => {
  const { _id, password, token: session } = practice.staff;
  const { operators } = practice.store;
  const sessions = api.database.collection('sessions');
  const found = await api.store.everyOrganization.sessions.findOperator(session, new Date());
  const confirm = async () => {
    const right = await operators.confirmPassword(_id, password);
    if (right === undefined || found === undefined) throw new Error('the session does not exist');
    return [right.confirmation, found.sessionId] as const;
  };
  const [reset, sessionId] = await confirm();
  await operators.update(_id, { email: `renamed.${practice.staff.email}` }, new Date());
  expect(await operators.changePassword(_id, reset, 'a new long password', sessionId, new Date())).toBe(true);
  expect(await operators.changePassword(_id, reset, 'another long password', sessionId, new Date())).toBe(
    false,
  );

  const again = await operators.confirmPassword(_id, 'a new long password');
  if (again === undefined) throw new Error('the new password was not accepted');
  await sessions.deleteOne({ _id: sessionId });
  expect(
    await operators.changePassword(_id, again.confirmation, 'another long password', sessionId, new Date()),
  ).toBe(false);
  expect(await operators.confirmPassword(_id, 'a new long password')).toBeDefined();
});

test.each([
  ['creates', 'POST', () => '/api/operators', { email: 'made@example.com', role: 'administrator' }],
  ['resets', 'PUT', () => `/api/operators/${practice.staff._id}`, {}],
])(
  'an administrator who is demoted during the request no longer %s an operator',
  async (_name, method, path, body) => {
    const second = {
      email: `second.${practice.organizationId}@example.com`,
      password: 'a long enough password',
    };
    await practice.store.operators.create({ ...second, role: 'administrator' }, new Date());
    const response = await meanwhile(
      () => call(method, path(), { ...body, password: 'chosen by a thief' }),
      () => practice.store.operators.update(practice.administrator._id, { role: 'staff' }, new Date()),
    );
    expect([401, 403]).toContain(response.status);
    const emails = (await practice.store.operators.list()).map(({ email }) => email);
    expect(emails).not.toContain('made@example.com');
    expect((await signIn()).status).toBe(200);
  },
);

test('does not reveal a key to an administrator who is disabled during the request', async () => {
  const key = await createKey(practice.store, { name: 'x', scopes: [], rateLimit: 1 }, new Date());
  const second = {
    email: `second.${practice.organizationId}@example.com`,
    password: 'a long enough password',
  };
  await practice.store.operators.create({ ...second, role: 'administrator' }, new Date());
  const response = await meanwhile(
    () => call('POST', `/api/apikeys/${key._id}/reveal`, { password: practice.administrator.password }),
    () => practice.store.operators.update(practice.administrator._id, { active: false }, new Date()),
  );
  expect(response.status).toBe(403);
  expect(response.text).not.toContain(key.secret);
});

test('two administrators who change each other at the same time do not undo other changes', async () => {
  const { _id, password } = practice.administrator;
  const second = {
    email: `second.${practice.organizationId}@example.com`,
    password: 'a long enough password',
  };
  const made = await practice.store.operators.create({ ...second, role: 'administrator' }, new Date());
  if (typeof made === 'string') throw new Error('the new e-mail address is taken');
  const { operators } = practice.store;
  await Promise.all([
    operators.update(_id, { role: 'staff' }, new Date()),
    operators.update(made._id, { active: false }, new Date()),
    change({ email: `renamed.${practice.staff.email}` }),
  ]);
  const left = (await operators.list()).filter(({ role, active }) => role === 'administrator' && active);
  expect(left.length).toBeGreaterThan(0);
  expect(await operators.confirmPassword(_id, password)).toBeDefined();
});

test('refuses a request if its caller loses access before the body has arrived', async () => {
  const second = {
    email: `second.${practice.organizationId}@example.com`,
    password: 'a long enough password',
  };
  await practice.store.operators.create({ ...second, role: 'administrator' }, new Date());
  const body = JSON.stringify({ clinicId: practice.clinicIds[0], url: 'https://example.com' });
  const late = request(`${api.url}/api/webhooksubscriptions`, {
    method: 'POST',
    headers: {
      authorization: administrator(),
      'content-type': 'application/json',
      'content-length': body.length,
    },
  });
  api.commands.length = 0;
  late.write(body.slice(0, -1));
  // Wait until the token and its operator have been looked up.
  await expect.poll(() => api.commands.length).toBeGreaterThanOrEqual(2);
  await practice.store.operators.update(practice.administrator._id, { role: 'staff' }, new Date());
  // The credentials are not checked again within half a second of the last check.
  letPass(500);
  late.end(body.slice(-1));
  const [response] = (await once(late, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(401);
  response.resume();
  expect(await practice.store.subscriptions.list()).toEqual([]);
});

test('audits a refused sign-in even if its caller disconnects before the response', async () => {
  const { email } = practice.staff;
  const body = JSON.stringify({ email, password: 'a guess' });
  const gone = Promise.withResolvers<ApiResponse>();
  let leave = () => {};
  await meanwhile(
    () => {
      const call = request(`${api.url}/api/sessions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
      });
      call.on('error', () => gone.resolve({} as ApiResponse));
      call.end(body);
      leave = () => call.destroy();
      return gone.promise;
    },
    async () => {
      leave();
      await gone.promise;
    },
  );
  const refused = { organizationId: practice.organizationId, result: 'refused' };
  await expect.poll(() => api.database.collection('auditEntries').countDocuments(refused)).toBe(1);
});
