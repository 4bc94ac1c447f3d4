import { type NoticeKind, newId } from '@chairside/domain';
import { createPractice, type Practice } from '@chairside/test-support';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from '../../test/api.ts';

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

const own = '/api/sessions/current/notices';
const ON = {
  subscriptionFailing: true,
  subscriptionDisabled: true,
  subscriptionRecovered: true,
  credentialEnding: true,
  appConnected: true,
  newReceiverHost: true,
};
const call = (method: string, path: string, body?: object, by = as) =>
  api.call(method, path, { as: by, ...(body && { body }) });

test('every notice is on, and is switched for the caller alone', async () => {
  expect((await call('GET', own)).json).toEqual(ON);
  const changed = await call('PUT', own, { appConnected: false, subscriptionFailing: false });
  expect(changed.json).toEqual({ ...ON, appConnected: false, subscriptionFailing: false });
  expect((await call('PUT', own, { appConnected: true })).json).toEqual({
    ...ON,
    subscriptionFailing: false,
  });
  expect((await call('PUT', own, {})).json).toEqual({ ...ON, subscriptionFailing: false });
  expect((await call('GET', own)).json).toEqual({ ...ON, subscriptionFailing: false });
  expect((await call('GET', own, undefined, token(practice.staff.token))).json).toEqual(ON);
});

test.each([
  ['an unknown name', { subscriptionBroken: true }, 'subscriptionBroken'],
  ['a notice about the own account', { passwordChanged: false }, 'passwordChanged'],
  ['another value than true or false', { appConnected: 'no' }, 'appConnected'],
  ['null', { appConnected: null }, 'appConnected'],
])('%s is a 400', async (_what, body, path) => {
  const { status, json } = await call('PUT', own, body);
  expect([status, json.details.issues[0].path]).toEqual([400, path]);
  expect((await call('GET', own)).json).toEqual(ON);
});

/** Stores a sent mail with notices of these kinds. */
const plant = async (minutes: number, kinds: readonly NoticeKind[], changes: object = {}) => {
  const _id = newId();
  const createdTime = new Date(Date.now() - minutes * 60_000);
  await api.database.collection<{ _id: string } & Record<string, unknown>>('mails').insertOne({
    _id,
    ...{ organizationId: practice.organizationId, operatorId: practice.administrator._id },
    ...{ kind: 'notice', state: 'sent', createdTime, finalTime: createdTime },
    told: kinds.map((kind, index) => ({ kind, subject: `subject-${index}`, occurrence: 'o' })),
    expireAt: new Date(Date.now() + 60_000),
    ...changes,
  });
  return _id;
};

test('lists what was told, to whom, when and with which result, the newest first, in pages', async () => {
  const older = await plant(2, ['subscriptionDisabled', 'subscriptionDisabled', 'appConnected'], {
    told: [
      { kind: 'subscriptionDisabled', subject: 'a', occurrence: '1' },
      { kind: 'newReceiverHost', subject: 'example.com', occurrence: '2', rowId: 'b' },
      { kind: 'subscriptionDisabled', subject: 'c', occurrence: '3' },
    ],
  });
  const newer = await plant(1, ['passwordChanged'], { state: 'queued', finalTime: undefined });
  const first = await call('GET', '/api/notices?limit=1');
  expect(first.json).toEqual([
    {
      ...{ _id: newer, createdTime: expect.any(String), operatorId: practice.administrator._id },
      state: 'queued',
      facts: [{ kind: 'passwordChanged', count: 1, ids: ['subject-0'] }],
    },
  ]);
  const second = await call('GET', `/api/notices?limit=1&cursor=${first.headers.get('x-next-cursor')}`);
  expect(second.json).toMatchObject([
    {
      ...{ _id: older, state: 'sent', finalTime: expect.any(String) },
      facts: [
        { kind: 'subscriptionDisabled', count: 2, ids: ['a', 'c'] },
        { kind: 'newReceiverHost', count: 1, ids: ['b'] },
      ],
    },
  ]);
  expect(second.headers.get('x-next-cursor')).toBeNull();
});

test('shows neither other mails nor those of another organization, and nothing to staff', async () => {
  await plant(1, [], { kind: 'invitation' });
  await plant(1, ['appConnected'], { organizationId: api.stranger.organizationId });
  expect((await call('GET', '/api/notices')).json).toEqual([]);
  const refused = await call('GET', '/api/notices', undefined, token(practice.staff.token));
  expect([refused.status, refused.json.details.requiredRole]).toEqual([403, 'administrator']);
});
