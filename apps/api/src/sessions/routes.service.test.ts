import { basic } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from '../../test/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

const signIn = (email: string, password: string) =>
  api.call('POST', '/api/sessions', { as: '', body: { email, password } });

test('signs in, shows the session, signs out', async () => {
  const { email, password, _id } = api.practice.administrator;
  const { status, json } = await signIn(email.toUpperCase(), password);
  expect(status).toBe(200);
  expect(json).toEqual({
    _id: expect.any(String),
    operatorId: _id,
    role: 'administrator',
    createdTime: expect.any(String),
    lastUsedTime: expect.any(String),
    confirmedTime: json.createdTime,
    expiryTime: expect.any(String),
    address: '127.0.0.1',
    userAgent: expect.any(String),
    token: expect.stringMatching(/^chairside_token_[\w-]{43}$/),
  });
  expect(Date.parse(json.expiryTime) - Date.parse(json.createdTime)).toBe(12 * 60 * 60 * 1000);
  const as = token(json.token);
  const { token: secret, ...session } = json;
  const current = { ...session, email };
  const organization = { name: 'Test practice' };
  expect((await api.call('GET', '/api/sessions/current', { as })).json).toEqual({
    ...current,
    ...{ organization, mail: false, factors: [], factorRequired: false },
  });
  expect((await api.call('DELETE', '/api/sessions/current', { as })).json).toEqual(current);
  expect((await api.call('GET', '/api/sessions/current', { as })).status).toBe(401);
  const stored = JSON.stringify(await api.database.collection('sessions').find().toArray());
  expect(stored).not.toContain(secret);
});

test('responds equally to a wrong password and to an unknown operator', async () => {
  const wrong = await signIn(api.practice.staff.email, 'not the password');
  const unknown = await signIn('nobody@example.com', 'not the password');
  expect(wrong.status).toBe(401);
  expect(wrong.headers.get('www-authenticate')).toMatch(/Basic.*Token/);
  const { requestId: a, ...first } = wrong.json.details;
  const { requestId: b, ...second } = unknown.json.details;
  expect({ ...wrong.json, details: first }).toEqual({ ...unknown.json, details: second });
});

test('a session ends 60 minutes after its last use', async () => {
  const { email, password } = api.practice.staff;
  const { json } = await signIn(email, password);
  const sessions = api.database.collection('sessions');
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const use = () => api.call('GET', '/api/sessions/current', { as: token(json.token) });
  await sessions.updateOne({ _id: json._id }, { $set: { usedTime: ago(50), expireAt: ago(-10) } });
  expect((await use()).status).toBe(200);
  const used = await sessions.findOne({ _id: json._id });
  expect(used?.expireAt.getTime()).toBeGreaterThan(ago(-59).getTime());
  await sessions.updateOne({ _id: json._id }, { $set: { expireAt: ago(0) } });
  expect((await use()).status).toBe(401);
});

test('a request with X-Background: 1 does not renew the session; every other request does', async () => {
  const { email, password } = api.practice.staff;
  const { json } = await signIn(email, password);
  const sessions = api.database.collection('sessions');
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const $set = { usedTime: ago(50), expireAt: ago(-10) };
  const use = (headers: Record<string, string>) =>
    api.call('GET', '/api/sessions/current', { as: token(json.token), headers });
  await sessions.updateOne({ _id: json._id }, { $set });
  const { status, json: shown } = await use({ 'x-background': '1' });
  expect({ status, lastUsedTime: shown.lastUsedTime }).toEqual({
    status: 200,
    lastUsedTime: $set.usedTime.toISOString(),
  });
  expect(await sessions.findOne({ _id: json._id })).toMatchObject($set);
  for (const headers of [{ 'x-background': '0' }, {}]) {
    await sessions.updateOne({ _id: json._id }, { $set });
    expect(Date.parse((await use(headers)).json.lastUsedTime)).toBeGreaterThan(ago(1).getTime());
  }
  await sessions.updateOne({ _id: json._id }, { $set: { expireAt: ago(0) } });
  expect((await use({ 'x-background': '1' })).status).toBe(401);
});

test('a session ends twelve hours after it began, even if it is in use', async () => {
  const { email, password } = api.practice.staff;
  const { json } = await signIn(email, password);
  const sessions = api.database.collection('sessions');
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const createdTime = ago(12 * 60 - 10);
  await sessions.updateOne({ _id: json._id }, { $set: { createdTime, usedTime: ago(5), expireAt: ago(-1) } });
  const shown = await api.call('GET', '/api/sessions/current', { as: token(json.token) });
  expect(shown.json.expiryTime).toBe(new Date(createdTime.getTime() + 12 * 3_600_000).toISOString());
  const used = await sessions.findOne({ _id: json._id });
  expect(used?.expireAt.toISOString()).toBe(shown.json.expiryTime);
});

test("an operator lists and ends their own sessions, and nobody else's", async () => {
  const { email, password } = api.practice.staff;
  const [one, two] = [(await signIn(email, password)).json, (await signIn(email, password)).json];
  const as = token(one.token);
  const first = await api.call('GET', '/api/sessions?limit=1', { as });
  const seen = [...first.json];
  for (let next = first.headers.get('x-next-cursor'); next !== null; ) {
    const page = await api.call('GET', `/api/sessions?limit=1&cursor=${next}`, { as });
    seen.push(...page.json);
    next = page.headers.get('x-next-cursor');
  }
  const { token: _secret, ...shown } = two;
  expect(seen).toContainEqual(shown);
  expect(seen.map(({ operatorId }) => operatorId)).toEqual(seen.map(() => one.operatorId));
  expect(JSON.stringify(seen)).not.toContain('chairside_token_');

  const stranger = (await signIn(api.practice.administrator.email, api.practice.administrator.password)).json;
  const others = await api.call('DELETE', `/api/sessions/${two._id}`, { as: token(stranger.token) });
  expect(others.status).toBe(404);
  expect((await api.call('DELETE', `/api/sessions/${two._id}`, { as })).json).toEqual(shown);
  expect((await api.call('GET', '/api/sessions/current', { as: token(two.token) })).status).toBe(401);
  expect((await api.call('DELETE', `/api/sessions/${two._id}`, { as })).status).toBe(404);
  expect((await api.call('DELETE', `/api/sessions/${one._id}`, { as })).status).toBe(200);
  expect((await api.call('GET', '/api/sessions/current', { as })).status).toBe(401);
});

test('an API key has no session', async () => {
  const { status, json } = await api.call('GET', '/api/sessions/current', { as: basic(api.practice.apiKey) });
  expect(status).toBe(403);
  expect(json.details.requiredRole).toBe('staff');
});

test.each([
  ['no credentials', '', 'Send the header Authorization'],
  ['another scheme', 'Bearer abc', 'must be Basic'],
  ['a user name and a password', basic('user:password'), 'without a user name and without a colon'],
  ['a key that does not exist', basic('chairside_key_x'), 'not valid'],
  ['a token that does not exist', 'Token abc', 'Sign in again'],
  ['a scheme alone', 'Basic', 'must be Basic'],
])('refuses these credentials: %s', async (_name, as, message) => {
  const { status, json, headers } = await api.call('GET', '/api/clinics', { as });
  expect(status).toBe(401);
  expect(json.message).toContain(message);
  expect(headers.get('www-authenticate')).toMatch(/^Basic .*, Token /);
});

test('ignores the case of the scheme name', async () => {
  const as = basic(api.practice.apiKey).replace('Basic', 'bAsIc');
  expect((await api.call('GET', '/api/clinics', { as })).status).toBe(200);
});
