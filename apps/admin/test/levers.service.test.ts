import {
  createKey,
  createPractice,
  openTestStore,
  type Practice,
  type TestStore,
} from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminOf } from './admin.ts';

let testStore: TestStore;
let practice: Practice;
let cli: ReturnType<typeof adminOf>;
beforeAll(async () => {
  testStore = await openTestStore();
  practice = await createPractice(testStore.store);
  cli = adminOf(testStore);
});
afterAll(() => testStore.close());

const AUTHOR = ['--by', 'j.doe', '--reason', 'the key was published'];
const entriesOf = (action: string) =>
  testStore.database
    .collection('auditEntries')
    .find({ organizationId: practice.organizationId, action, by: 'j.doe' })
    .toArray();

test('an organization is suspended once, and resumed; the audit says by whom and why', async () => {
  const { organizationId } = practice;
  const suspended = await cli.run(['organization', 'suspend', organizationId, ...AUTHOR]);
  expect(suspended).toMatchObject({ code: 0, json: { organizationId, suspended: true } });
  const again = await cli.run(['organization', 'suspend', organizationId]);
  expect(again).toMatchObject({ code: 0, json: { suspended: true } });
  const { stops } = testStore.store.everyOrganization.administration;
  expect(await stops.list()).toMatchObject([
    { organizationId, by: 'j.doe', reason: 'the key was published', time: expect.any(String) },
  ]);
  expect(await cli.run(['organization', 'resume', organizationId, ...AUTHOR])).toMatchObject({ code: 0 });
  expect(await stops.list()).toEqual([]);
  for (const action of ['suspended', 'resumed'])
    expect(await entriesOf(action)).toMatchObject([
      {
        kind: 'organization',
        ids: [organizationId],
        principal: { kind: 'system', id: 'admin' },
        reason: 'the key was published',
        result: 'ok',
      },
    ]);
  expect(await cli.run(['organization', 'suspend', 'none'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no organization none.'),
  });
});

test('hosts are blocked as subscriptions store them', async () => {
  expect(await cli.run(['host', 'block', 'Hooks.Example.com:443', ...AUTHOR])).toMatchObject({
    code: 0,
    json: { host: 'hooks.example.com', blocked: true },
  });
  const listed = await cli.run(['host', 'list']);
  expect(listed.json).toMatchObject({ host: 'hooks.example.com', by: 'j.doe' });
  expect(await cli.run(['host', 'unblock', 'hooks.example.com'])).toMatchObject({ code: 0 });
  for (const host of ['https://example.com/', 'example.com/path', 'a b', 'user@example.com', '?'])
    expect(await cli.run(['host', 'block', host])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not a host'),
    });
});

test('keys and program tokens are revoked, sessions end, and subscriptions are disabled, each with an audit entry', async () => {
  const { store, organizationId, administrator } = practice;
  const now = new Date();
  const key = await createKey(store, { name: 'x', scopes: ['patients:read'], rateLimit: 10 }, now);
  const [session] = (await store.operators.sessions(administrator._id, now)) ?? [];
  const made = await store.programTokens.create(
    session?._id ?? '',
    { name: 'x', access: 'webhooks', lifetimeDays: 1 },
    now,
  );
  const tokenId = typeof made === 'string' ? made : made._id;
  const sent = { clinicId: practice.clinicIds[0], url: 'https://example.com', events: [], active: true };
  const subscription = await store.subscriptions.create(sent, now);

  const tokens = await cli.run(['programtoken', 'list', '--organization', organizationId]);
  expect(tokens.json).toMatchObject({ _id: tokenId, organizationId });
  expect(tokens.json).not.toHaveProperty('name');
  expect(await cli.run(['programtoken', 'revoke', tokenId, ...AUTHOR])).toMatchObject({ code: 0 });
  expect(await store.programTokens.list(now)).toEqual([]);
  expect(await cli.run(['apikey', 'revoke', key._id, ...AUTHOR])).toMatchObject({ code: 0 });
  expect(await store.apiKeys.find(key._id)).toBeUndefined();
  expect(await cli.run(['subscription', 'disable', subscription?._id ?? '', ...AUTHOR])).toMatchObject({
    code: 0,
  });
  expect(await store.subscriptions.find(subscription?._id ?? '')).toMatchObject({ active: false });

  const end = ['session', 'end', '--operator', administrator.email];
  const trial = await cli.run([...end, '--dry-run']);
  expect(trial.json).toMatchObject({ endedSessions: 1, dryRun: true });
  expect(await store.operators.sessions(administrator._id, now)).toHaveLength(1);
  expect((await cli.run([...end, ...AUTHOR])).json).toMatchObject({ endedSessions: 1, dryRun: false });
  expect(await store.operators.sessions(administrator._id, now)).toEqual([]);

  const expected = {
    token_ended: tokenId,
    deleted: key._id,
    updated: subscription?._id,
    sessions_ended: administrator._id,
  };
  for (const [action, id] of Object.entries(expected))
    expect(await entriesOf(action)).toMatchObject([
      { ids: [id], result: 'ok', reason: 'the key was published' },
    ]);
  const unknown = [
    ['apikey', 'revoke', key._id],
    ['programtoken', 'revoke', tokenId],
    ['subscription', 'disable', 'none'],
    ['session', 'end', '--operator', 'nobody@example.com'],
  ];
  for (const command of unknown)
    expect(await cli.run(command)).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no') });
});

test('the author of a command is a short text, by default the login name', async () => {
  const { organizationId } = practice;
  for (const given of [
    ['--by', ''],
    ['--by', 'x'.repeat(101)],
    ['--reason', 'x'.repeat(501)],
  ]) {
    expect(await cli.run(['organization', 'suspend', organizationId, ...given])).toMatchObject({ code: 2 });
  }
  await cli.run(['organization', 'search', 'off', organizationId]);
  const [entry] = await testStore.database
    .collection('auditEntries')
    .find({ organizationId, 'changes.field': 'patientSearch' })
    .toArray();
  expect(entry?.by).toMatch(/^.+$/);
});

test('what is held is counted, and released', async () => {
  expect(await cli.run(['outbound', 'release', '--dry-run'])).toMatchObject({
    code: 0,
    json: { deliveries: 0, dryRun: true },
  });
  expect(await cli.run(['outbound', 'discard', '--subscription', 'none'])).toMatchObject({ code: 2 });
  expect(await cli.run(['outbound', 'discard', '--until', 'yesterday'])).toMatchObject({ code: 2 });
});
