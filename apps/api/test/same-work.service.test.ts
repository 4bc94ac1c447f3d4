import { createHook } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import { openPasswords } from '@chairside/mongodb';
import { basic, createKey } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiResponse, openTestApi, type TestApi, token } from './api.ts';
import { codeAt, plantApp } from './factors.ts';

/*
 * The response time must not reveal what exists. A clock cannot prove that, so the tests compare the work: the
 * statements to the database, without the searched values, and the password hashes.
 */
let api: TestApi;
let hashes = 0;
/** The statements that were sent to the database before the last response. */
let before: TestApi['statements'] = [];
const hook = createHook({
  init(_id, type) {
    if (type === 'ARGON2REQUEST') hashes++;
  },
});
beforeAll(async () => {
  api = await openTestApi(undefined, undefined, { passwords: openPasswords() });
  hook.enable();
  // The work after the response does not affect the response time.
  api.app.server.on('request', (_request, response: ServerResponse) =>
    response.once('finish', () => {
      before = [...api.statements];
    }),
  );
});
afterAll(() => {
  hook.disable();
  return api.close();
});

const withoutValues = (value: unknown): unknown => {
  if (value instanceof Date) return 'time';
  if (Array.isArray(value)) return value.map(withoutValues);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutValues(inner)]));
};
const withoutRequest = ({ status, headers, text, json }: ApiResponse) => ({
  status,
  text: text.replace(json.details.requestId, ''),
  headers: [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date'),
});

/** The work and the response of a refused call. */
const workOf = async (call: () => Promise<ApiResponse>) => {
  api.statements.length = 0;
  hashes = 0;
  const response = withoutRequest(await call());
  const names = before.map((statement) => [Object.keys(statement)[0], Object.values(statement)[0]]);
  // The driver adds its session to every command.
  const asked = before.map(({ lsid, $clusterTime, ...statement }) => withoutValues(statement));
  return { response, names, asked, hashes };
};

/** The same secret with another last character, the closest possible wrong guess. */
const nearly = (secret: string) => secret.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));

test('an almost correct API key, a deleted one and an unknown one cause the same work', async () => {
  const { apiKeys } = api.practice.store;
  const key = await createKey(api.practice.store, { name: 'x', scopes: [], rateLimit: 100 }, new Date());
  const deleted = await createKey(api.practice.store, { name: 'x', scopes: [], rateLimit: 100 }, new Date());
  await apiKeys.delete(deleted._id);
  const work = [];
  for (const secret of [nearly(key.secret), deleted.secret, 'chairside_key_none', 'none']) {
    work.push(await workOf(() => api.call('GET', '/api/patients', { as: basic(secret) })));
  }
  const [first] = work;
  expect(first).toMatchObject({ names: [['find', 'apiKeys']], hashes: 0, response: { status: 401 } });
  for (const each of work) expect(each).toEqual(first);
});

test('an almost correct access token, an expired one and an unknown one cause the same work', async () => {
  const { email, password, token: present } = api.practice.staff;
  const expired = await api.store.everyOrganization.sessions.signIn(email, password, new Date(0));
  const work = [];
  for (const secret of [
    nearly(present),
    expired.outcome === 'signed_in' ? expired.session.token : '',
    'chairside_token_none',
    'none',
  ]) {
    work.push(await workOf(() => api.call('GET', '/api/patients', { as: token(secret) })));
  }
  const [first] = work;
  expect(first).toMatchObject({ names: [['find', 'sessions']], hashes: 0, response: { status: 401 } });
  for (const each of work) expect(each).toEqual(first);
});

test('an almost correct program token, an expired one, an ended one and an unknown one cause the same work', async () => {
  const { programTokens } = api.practice.store;
  const session = await api.store.everyOrganization.sessions.findOperator(
    api.practice.administrator.token,
    new Date(),
  );
  const create = async (now: Date) => {
    const asked = { name: 'x', lifetimeDays: 1, access: 'webhooks' } as const;
    const made = await programTokens.create(session?.sessionId ?? '', asked, now);
    if (typeof made === 'string') throw new Error(made);
    return made;
  };
  const [present, expired, ended] = [
    await create(new Date()),
    await create(new Date(0)),
    await create(new Date()),
  ];
  await programTokens.end(ended._id, new Date());
  const work = [];
  for (const secret of [nearly(present.token), expired.token, ended.token, 'chairside_program_none'])
    work.push(await workOf(() => api.call('GET', '/api/events', { as: token(secret) })));
  const [first] = work;
  expect(first).toMatchObject({ names: [['find', 'programTokens']], hashes: 0, response: { status: 401 } });
  for (const each of work) expect(each).toEqual(first);
  const session401 = await workOf(() =>
    api.call('GET', '/api/events', { as: token('chairside_token_none') }),
  );
  expect(session401.response).toEqual(first?.response);
});

test('an unknown e-mail address, a wrong password and a disabled operator cause the same work', async () => {
  const { administrator, staff } = api.practice;
  const as = token(administrator.token);
  const work = [];
  const signIn = (email: string, password: string) =>
    workOf(() => api.call('POST', '/api/sessions', { as: '', body: { email, password } }));
  /**
   * The audit entry of a known operator is stored after the response. The test waits for it before it watches the
   * next call.
   */
  const untilCounted = (refusals: number) =>
    expect
      .poll(async () => {
        const entries = await api.database.collection('auditEntries').find({ result: 'refused' }).toArray();
        return entries.reduce((sum, { count }) => sum + count, 0);
      })
      .toBe(refusals);
  work.push(await signIn('nobody@example.com', 'a wrong password'));
  work.push(await signIn(staff.email, 'a wrong password'));
  await untilCounted(1);
  work.push(await signIn(staff.email, ''.padEnd(100, 'x')));
  await untilCounted(2);
  await api.call('PUT', `/api/operators/${staff._id}`, { as, body: { active: false } });
  work.push(await signIn(staff.email, staff.password));
  await untilCounted(3);
  const [first] = work;
  expect(first).toMatchObject({ names: [['find', 'operators']], hashes: 1, response: { status: 401 } });
  for (const each of work) expect(each).toEqual(first);
});

test('a sign-in with a code costs one password hash, as one without, and four statements more', async () => {
  const { _id, email, password } = api.stranger.staff;
  const costOf = async (call: () => Promise<ApiResponse>) => {
    api.statements.length = 0;
    hashes = 0;
    const response = await call();
    return { response, hashes, statements: before.length };
  };
  const signIn = () => api.call('POST', '/api/sessions', { as: '', body: { email, password } });
  // The first one stores the network.
  await signIn();
  const alone = await costOf(signIn);
  expect([alone.response.status, alone.hashes]).toEqual([200, 1]);
  const { secret } = await plantApp(api.stranger.store, _id);
  const asked = await costOf(signIn);
  const body = { challenge: asked.response.json.details.challenge, code: codeAt(secret) };
  const answered = await costOf(() => api.call('POST', '/api/sessions/challenge', { as: '', body }));
  expect(answered.response.status).toBe(200);
  expect([asked.hashes, answered.hashes]).toEqual([1, 0]);
  expect(asked.statements + answered.statements - alone.statements).toBe(4);
});
