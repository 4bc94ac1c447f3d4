import { MAX_PROGRAM_TOKENS, newId } from '@chairside/domain';
import { createPractice, type Practice, quickPasswords } from '@chairside/test-support';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from '../../test/api.ts';

const DAY = 86_400_000;
const PATH = '/api/sessions/current/tokens';
const ADDRESS = '203.0.113.77';
let api: TestApi;
let practice: Practice;
let as: string;
beforeAll(async () => {
  api = await openTestApi(['127.0.0.1'], [], { passwords: quickPasswords });
});
beforeEach(async () => {
  practice = await createPractice(api.store);
  as = token(practice.administrator.token);
});
afterAll(() => api.close());

const asked = { name: 'Onboarding', access: 'webhooks' };
const post = (body: object, by = as) => api.call('POST', PATH, { as: by, body });
const create = async (fields: object = {}, by = as) => {
  const { status, json } = await post({ ...asked, ...fields }, by);
  expect(status).toBe(200);
  return json as { _id: string; operatorId: string; token: string; expiryTime: string; createdTime: string };
};
const list = async (by = as) => (await api.call('GET', PATH, { as: by })).json;
const use = (secret: string, address = ADDRESS) =>
  api.call('GET', '/api/webhooksubscriptions', {
    as: token(secret),
    headers: { 'x-forwarded-for': address },
  });
const statusOf = async (secret: string) => (await use(secret)).status;
const entries = async (action: string) =>
  (await api.call('GET', `/api/auditentries?kind=session&action=${action}`, { as })).json;
const stored = () => api.database.collection('programTokens');
/** Creates another administrator and signs in. */
const another = async () => {
  const named = { email: `${newId()}@example.com`, password: `${newId()} is long` };
  const made = await practice.store.operators.create({ ...named, role: 'administrator' }, new Date());
  if (typeof made === 'string') throw new Error(made);
  const { json } = await api.call('POST', '/api/sessions', { as: '', body: named });
  return { ...named, _id: made._id, as: token(json.token) };
};

describe('POST /api/sessions/current/tokens', () => {
  test('returns the token once, and stores only its hash', async () => {
    const [clinicId] = practice.clinicIds;
    const created = await create({ lifetimeDays: 7, clinicIds: [clinicId, clinicId] });
    expect(created).toEqual({
      _id: expect.any(String),
      operatorId: practice.administrator._id,
      ...asked,
      clinicIds: [clinicId],
      createdTime: expect.any(String),
      expiryTime: new Date(Date.parse(created.createdTime) + 7 * DAY).toISOString(),
      token: expect.stringMatching(/^chairside_program_[\w-]{43}$/),
    });
    const { token: secret, ...shown } = created;
    expect(await list()).toEqual([shown]);
    expect(JSON.stringify(await stored().find().toArray())).not.toContain(secret.slice(-43));
  });

  test('lasts for 90 days unless asked otherwise, and does not end while it is unused', async () => {
    const { _id, createdTime, expiryTime, token: secret } = await create();
    expect(Date.parse(expiryTime) - Date.parse(createdTime)).toBe(90 * DAY);
    const longAgo = new Date(Date.now() - 89 * DAY);
    await stored().updateOne(
      { _id: _id as never },
      { $set: { createdTime: longAgo, lastUsedTime: longAgo } },
    );
    expect(await statusOf(secret)).toBe(200);
    const [shown] = await list();
    expect(Date.parse(shown.lastUsedTime)).toBeGreaterThan(longAgo.getTime() + 88 * DAY);
  });

  test.each([
    ['no name', { access: 'webhooks' }, 'name', 'is required'],
    ['an empty name', { ...asked, name: '' }, 'name', 'must not be empty'],
    ['no access', { name: 'x' }, 'access', 'is required'],
    ['another access', { name: 'x', access: 'patients' }, 'access', 'must be one of webhooks'],
    ['a lifetime of 0 days', { ...asked, lifetimeDays: 0 }, 'lifetimeDays', 'must be at least 1'],
    ['a lifetime of 366 days', { ...asked, lifetimeDays: 366 }, 'lifetimeDays', 'must be at most 365'],
    ['half a day', { ...asked, lifetimeDays: 0.5 }, 'lifetimeDays', 'must be a whole number of days'],
    [
      'no clinic',
      { ...asked, clinicIds: [] },
      'clinicIds',
      'must name a clinic; leave it out for all clinics',
    ],
    [
      '101 clinics',
      { ...asked, clinicIds: Array(101).fill('a') },
      'clinicIds',
      'must have at most 100 entries',
    ],
    ['an unknown field', { ...asked, role: 'administrator' }, 'role', 'is not a known field'],
  ])('refuses %s', async (_name, body, path, message) => {
    const { status, json } = await post(body);
    expect(status).toBe(400);
    expect(json.details.issues).toContainEqual(expect.objectContaining({ path, message }));
  });

  test('refuses a clinic of another organization with the words for a missing one', async () => {
    const { json } = await post({
      ...asked,
      clinicIds: [practice.clinicIds[0], api.stranger.clinicIds[0], 'missing'],
    });
    const message = 'must be the id of a clinic in your organization';
    expect(json.details.issues).toMatchObject([
      { path: 'clinicIds.1', message },
      { path: 'clinicIds.2', message },
    ]);
  });

  test('needs an administrator with a confirmed password, and is closed to tokens', async () => {
    const made = await create();
    expect((await post(asked, token(practice.staff.token))).json.details.requiredRole).toBe('administrator');
    expect((await post(asked, token(made.token))).status).toBe(403);
    const confirmedTime = new Date(Date.now() - 11 * 60_000);
    await api.database
      .collection('sessions')
      .updateMany({ operatorId: practice.administrator._id }, { $set: { confirmedTime } });
    const { status, json } = await post(asked);
    expect(status).toBe(403);
    expect(json.details).toMatchObject({ requiredConfirmation: 'password' });
  });

  test('an organization has at most 100, even with concurrent callers, and ended ones make room', async () => {
    const made = await Promise.all(Array.from({ length: MAX_PROGRAM_TOKENS + 5 }, () => post(asked)));
    expect(made.filter(({ status }) => status === 200)).toHaveLength(MAX_PROGRAM_TOKENS);
    const [refused] = made.filter(({ status }) => status === 400);
    expect(refused?.json.details.issues).toMatchObject([
      { path: '', message: 'the organization already has 100 program tokens, the maximum; end one first' },
    ]);
    const [first, second] = made.filter(({ status }) => status === 200).map(({ json }) => json);
    await api.call('DELETE', `/api/sessions/${first._id}`, { as });
    await create();
    expect((await post(asked)).status).toBe(400);
    // The sweep has not deleted this token yet.
    await stored().updateOne({ _id: second._id }, { $set: { expiryTime: new Date() } });
    await create();
    expect((await post(asked)).status).toBe(400);
  });
});

describe('a program token ends', () => {
  const changes: [string, (operator: Awaited<ReturnType<typeof another>>) => Promise<unknown>][] = [
    ['is deleted', ({ _id }) => api.call('DELETE', `/api/operators/${_id}`, { as })],
    [
      'gets another role',
      ({ _id }) => api.call('PUT', `/api/operators/${_id}`, { as, body: { role: 'staff' } }),
    ],
    ['is disabled', ({ _id }) => api.call('PUT', `/api/operators/${_id}`, { as, body: { active: false } })],
    [
      'gets a new password from another administrator',
      ({ _id }) =>
        api.call('PUT', `/api/operators/${_id}`, { as, body: { password: 'another long password' } }),
    ],
    [
      'changes the own password',
      ({ password, as: own }) =>
        api.call('PUT', '/api/sessions/current/password', {
          as: own,
          body: { password, newPassword: 'another long password' },
        }),
    ],
    ['loses all sessions', ({ _id }) => api.call('DELETE', `/api/operators/${_id}/sessions`, { as })],
    [
      'gets a new password from chairside-admin',
      ({ email }) =>
        api.store.everyOrganization.administration.operatorAccess.resetPassword(
          { by: 'test' },
          email,
          'another long password',
          true,
          new Date(),
        ),
    ],
  ];
  test.each(changes)('when its operator %s, with an audit entry', async (_name, change) => {
    const operator = await another();
    const ended = await create({}, operator.as);
    const kept = await create();
    expect(await statusOf(ended.token)).toBe(200);
    await change(operator);
    expect(await statusOf(ended.token)).toBe(401);
    expect(await statusOf(kept.token)).toBe(200);
    expect((await list()).map(({ _id }: { _id: string }) => _id)).toEqual([kept._id]);
    expect(await entries('token_ended')).toMatchObject([
      {
        ids: [ended._id],
        changes: [{ field: 'reason', value: 'operator' }],
        principal: { kind: 'system', id: 'service' },
      },
    ]);
  });

  test('not when the e-mail address of its operator changes, or a session ends', async () => {
    const operator = await another();
    const { token: secret } = await create({}, operator.as);
    const body = { email: `${newId()}@example.com` };
    await api.call('PUT', `/api/operators/${operator._id}`, { as, body });
    await api.call('DELETE', '/api/sessions/current', { as: operator.as });
    expect(await statusOf(secret)).toBe(200);
  });

  test('even if the process that changed the operator crashed, and the sweep leaves its entry later', async () => {
    const operator = await another();
    const { _id, token: secret } = await create({}, operator.as);
    await api.database
      .collection('operators')
      .updateOne({ _id: operator._id as never }, { $inc: { accessRevision: 1 } });
    expect(await statusOf(secret)).toBe(401);
    expect(await list()).toEqual([]);
    expect((await api.call('DELETE', `/api/sessions/${_id}`, { as })).status).toBe(404);
    const { programTokens } = api.store.everyOrganization;
    // There are many tokens of other tests, too.
    while ((await programTokens.deleteExpired(new Date(Date.now() + 91 * DAY), 100)) > 0);
    expect(await entries('token_ended')).toMatchObject([
      { ids: [_id], changes: [{ field: 'reason', value: 'operator' }] },
    ]);
  });

  test('after its lifetime, and the sweep leaves an entry', async () => {
    const { _id, token: secret } = await create();
    await stored().updateOne({ _id: _id as never }, { $set: { expiryTime: new Date(Date.now() - 1) } });
    expect(await statusOf(secret)).toBe(401);
    expect(await list()).toEqual([]);
    const { programTokens } = api.store.everyOrganization;
    await Promise.all([
      programTokens.deleteExpired(new Date(), 10),
      programTokens.deleteExpired(new Date(), 10),
    ]);
    expect(await entries('token_ended')).toMatchObject([
      { ids: [_id], changes: [{ field: 'reason', value: 'lifetime' }], result: 'ok' },
    ]);
    expect(await stored().countDocuments({ _id: _id as never })).toBe(0);
  });

  test('when any administrator of the organization ends it, and nobody else', async () => {
    const { token: secret, ...shown } = await create();
    const path = `/api/sessions/${shown._id}`;
    const stranger = token(api.stranger.administrator.token);
    for (const by of [token(practice.staff.token), stranger])
      expect((await api.call('DELETE', path, { as: by })).status).toBe(404);
    expect((await api.call('DELETE', path, { as: token(secret) })).status).toBe(403);
    expect(await statusOf(secret)).toBe(200);
    const ended = await api.call('DELETE', path, { as: (await another()).as });
    expect(ended.json).toMatchObject(shown);
    expect(await statusOf(secret)).toBe(401);
    expect((await api.call('DELETE', path, { as })).status).toBe(404);
    const [entry] = await entries('token_ended');
    expect(entry).toMatchObject({ ids: [shown._id], principal: { kind: 'operator' }, result: 'ok' });
  });

  test('before it can be used, if the access of its operator changes while it is created', async () => {
    const operator = await another();
    const session = await api.store.everyOrganization.sessions.findOperator(
      operator.as.replace('Token ', ''),
      new Date(),
    );
    await api.database
      .collection('operators')
      .updateOne({ _id: operator._id as never }, { $inc: { accessRevision: 1 } });
    const wanted = { name: 'late', access: 'webhooks', lifetimeDays: 1 } as const;
    const { programTokens } = practice.store;
    expect(await programTokens.create(session?.sessionId ?? '', wanted, new Date())).toBe('sessionEnded');
    expect(await stored().countDocuments({ organizationId: practice.organizationId })).toBe(0);
  });
});

test('the first use from each network leaves one entry with the address', async () => {
  const { _id, token: secret } = await create();
  await Promise.all([use(secret), use(secret), use(secret)]);
  for (const address of [ADDRESS, '2001:db8::1', '2001:db8::2', '2001:db8:0:1::1', ADDRESS])
    expect((await use(secret, address)).status).toBe(200);
  const used = await entries('token_used');
  expect(used.map(({ address }: { address: string }) => address).toSorted()).toEqual([
    '2001:db8:0:1::1',
    '2001:db8::1',
    ADDRESS,
  ]);
  for (const entry of used)
    expect(entry).toMatchObject({ ids: [_id], principal: { kind: 'programToken', id: _id }, result: 'ok' });
});

test('a subscription with a host that is new to the organization is marked in its entry, whoever creates it', async () => {
  const { token: secret } = await create({ clinicIds: [practice.clinicIds[0]] });
  const subscribe = async (url: string, by: string, clinicId: string = practice.clinicIds[0]) =>
    (await api.call('POST', '/api/webhooksubscriptions', { as: by, body: { clinicId, url } })).json._id;
  const move = (id: string, url: string) =>
    api.call('PUT', `/api/webhooksubscriptions/${id}`, { as, body: { url } });
  await subscribe('https://known.example.com/a', as, practice.clinicIds[1]);
  // The host is known in the organization, although not in the clinic of the token.
  const id = await subscribe('https://known.example.com/b', token(secret));
  await subscribe('https://new.example.com:8443/', token(secret));
  await move(id, 'https://known.example.com/c');
  await move(id, 'https://moved.example.com/');
  await move(id, 'https://new.example.com/');
  const { json } = await api.call('GET', '/api/auditentries?kind=webhookSubscription', { as });
  const marks = json.map(({ changes }: any) => [
    changes.find(({ field }: any) => field === 'url').value,
    changes.find(({ field }: any) => field === 'newHost').value,
  ]);
  expect(marks.toReversed()).toEqual([
    ['known.example.com', true],
    ['known.example.com', false],
    ['new.example.com:8443', true],
    ['known.example.com', false],
    ['moved.example.com', true],
    ['new.example.com', true],
  ]);
});
