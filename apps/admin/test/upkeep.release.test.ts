import { randomBytes } from 'node:crypto';
import { oauthStorageKeys, openOAuthStore } from '@chairside/mongodb/oauth';
import { cliOf, environmentOf, startCli, testEngines } from '@chairside/test-support';
import { afterAll, expect, test } from 'vitest';
import { openPracticeCommands } from './practice-commands.ts';

const { testStore, practice, folder, close } = await openPracticeCommands();
afterAll(close);

const withKeys = (encryptionKeys: string) => cliOf({ url: testStore.url, encryptionKeys });
const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;

type Finding = { check: string; ok: boolean; finding: string; hint?: string };

const examine = async (environment: Record<string, string>) => {
  const { code, json } = await startCli(environment, ['doctor', '--json']).ended;
  const verdicts: Finding[] = json.verdicts;
  return { code, json, of: (check: string) => verdicts.find((verdict) => verdict.check === check) };
};

test('after a rotation the old key can be dropped: secrets can be decrypted, imports find their records', async () => {
  const [clinicId] = practice.clinicIds;
  const subscription = await practice.store.subscriptions.create(
    { clinicId, url: 'https://example.com', events: [], active: true },
    new Date(),
  );
  const file = await folder.writeLines('patients.ndjson', [{ externalId: 'p-1', clinicId, name: 'Ada' }]);
  const args = ['import', 'patient', file, '--organization', practice.organizationId];
  expect((await withKeys(testStore.encryptionKeys).run(args)).json).toMatchObject({ created: 1 });

  const added = newKey('new');
  const rotate = ['encryption', 'rotate'];
  const early = await withKeys(added).run(rotate);
  expect(early.code).toBe(1);
  const rotated = await withKeys(`${added},${testStore.encryptionKeys}`).run(rotate);
  // The six values are the check value, the secrets of two API keys and one subscription, and two keys of the organization:
  // for tokens and for data.
  expect(rotated.json).toEqual({ rotated: 6, current: 6, left: [] });
  const second = await startCli(
    { ...environmentOf(testStore), ENCRYPTION_KEYS: `${added},${testStore.encryptionKeys}` },
    rotate,
  ).ended;
  expect(second.stdout).toMatch(/Keep the old keys for now.*run: chairside-admin doctor/);
  expect((await withKeys(`${added},${testStore.encryptionKeys}`).run(rotate)).json).toMatchObject({
    rotated: 0,
  });

  // A process that was not restarted still uses the old key first.
  const late = await practice.store.subscriptions.create(
    { clinicId, url: 'https://example.com', events: [], active: true },
    new Date(),
  );
  const both = { ...environmentOf(testStore), ENCRYPTION_KEYS: `${added},${testStore.encryptionKeys}` };
  const inUse = (await examine(both)).of('use of encryption keys');
  expect(inUse).toMatchObject({ ok: true, finding: 'new in use (6), test in use (1)' });
  expect(inUse?.hint).toMatch(/^Keep test\. .* run: chairside-admin encryption rotate$/);
  const dropped = await examine({ ...environmentOf(testStore), ENCRYPTION_KEYS: added });
  expect(dropped.of('use of encryption keys')).toMatchObject({
    ok: false,
    finding: 'new in use (6), test in use (1); not in ENCRYPTION_KEYS: test',
  });
  expect((await withKeys(both.ENCRYPTION_KEYS).run(rotate)).json).toMatchObject({ rotated: 1, current: 7 });
  const unused = (await examine(both)).of('use of encryption keys');
  expect(unused).toMatchObject({ ok: true, finding: 'new in use (7), test unused' });
  expect(unused?.hint).toMatch(/restarted with new first, test can be dropped from ENCRYPTION_KEYS\.$/);
  expect((await withKeys(added).run(args)).json).toMatchObject({ unchanged: 1, created: 0 });
  expect((await withKeys(testStore.encryptionKeys).run(args)).code).toBe(1);
  const stored = await testStore.database
    .collection<{ _id: string; secret: string }>('subscriptions')
    .find()
    .toArray();
  expect(stored.map(({ _id }) => _id).sort()).toEqual([subscription?._id, late?._id].sort());
  for (const { secret } of stored) expect(secret).toMatch(/^new:/);

  testStore.encryptionKeys = added;
});

test('a rotation leaves secrets that no key can decrypt, names them, and fails', async () => {
  const lost = newKey('lost').replace(/^lost/, 'gone');
  const document = { _id: 'lost-key', secret: `gone:${lost.slice(5)}` };
  await testStore.database.collection('apiKeys').insertOne(document);
  const { code, json } = await withKeys(testStore.encryptionKeys).run(['encryption', 'rotate']);
  expect(code).toBe(1);
  expect(json.left).toEqual([{ collection: 'apiKeys', _id: 'lost-key' }]);
  const { of } = await examine(environmentOf(testStore));
  expect(of('encryption keys')).toMatchObject({
    ok: false,
    finding: expect.stringContaining('apiKeys lost-key'),
  });
  expect(of('use of encryption keys')).toMatchObject({
    ok: false,
    hint: expect.stringContaining('Add gone to ENCRYPTION_KEYS'),
  });
  await testStore.database.collection('apiKeys').deleteOne({ _id: 'lost-key' });
});

test('doctor reports no problem, Redis included', async () => {
  const { redisUrl } = testEngines();
  const { code, json, of } = await examine({ ...environmentOf(testStore), REDIS_URL: redisUrl });
  expect(of('MongoDB')).toMatchObject({ ok: true, finding: expect.stringMatching(/version \d/) });
  expect(of('topology')?.finding).toMatch(/^a (standalone server|replica set|sharded cluster)/);
  expect(of('clocks')).toMatchObject({ ok: true, finding: 'agree with the database to within 2 s' });
  expect(of('form of the database')).toMatchObject({ ok: true, finding: '1' });
  expect(of('running processes')).toMatchObject({ ok: true, finding: 'none registered' });
  expect(of('addresses of callers')).toMatchObject({ ok: true });
  expect(of('privileges')).toMatchObject({ ok: true, finding: 'the database asks for no user' });
  expect(of('OAuth keys')).toBeUndefined();
  expect(of('backlog')?.finding).toMatch(/^\d+ queued deliveries/);
  expect(of('indexes')).toMatchObject({ ok: true });
  expect(of('encryption keys')).toMatchObject({ ok: true });
  expect(of('Redis')).toMatchObject({ ok: true });
  expect({ code, json }).toMatchObject({ code: 0, json: { healthy: true } });
});

test('doctor reports whether OAUTH_KEYS decrypt what connected apps need', async () => {
  const [first, second] = [newKey('first'), newKey('second')];
  const oauth = openOAuthStore({
    url: testStore.url,
    appName: 'test',
    keys: oauthStorageKeys(first),
    auditRetentionDays: 1,
  });
  await oauth.state.save('Grant', 'grant', { jti: 'grant' }, { expireAt: new Date(Date.now() + 60_000) });
  await oauth.close();
  const verdictWith = async (OAUTH_KEYS: string) =>
    (await examine({ ...environmentOf(testStore), OAUTH_KEYS })).of('OAuth keys');
  expect(await verdictWith(`${second},${first}`)).toMatchObject({
    ok: true,
    finding: 'decrypt 1 stored objects',
  });
  expect(await verdictWith(second)).toMatchObject({
    ok: false,
    finding: expect.stringMatching(/^1 stored objects .* not in OAUTH_KEYS$/),
  });
  const states = testStore.database.collection<{ _id: string }>('oauthState');
  await states.updateOne({}, [{ $set: { payload: { $concat: ['$payload', 'AAAA'] } } }]);
  expect(await verdictWith(first)).toMatchObject({
    ok: false,
    finding: expect.stringMatching(/^OAUTH_KEYS cannot decrypt everything: oauthState Grant:/),
  });
  await states.deleteMany({});
});

test('doctor lists the processes that run', async () => {
  const processes = testStore.database.collection<{ _id: string; [field: string]: unknown }>('processes');
  const process = { version: '0.0.1', commit: 'a'.repeat(40), form: 1, skewMs: 0, seenTime: new Date() };
  await processes.insertMany([
    { _id: '1', service: 'api', ...process },
    { _id: '2', service: 'api', ...process, hasUnreadableCallers: true },
    { _id: '3', service: 'webhook-dispatcher', ...process, skewMs: -300_000 },
  ]);
  const { of } = await examine(environmentOf(testStore));
  expect(of('clocks')).toMatchObject({
    ok: false,
    finding: 'compared with the database, webhook-dispatcher is 300 s behind',
  });
  expect(of('addresses of callers')).toMatchObject({
    ok: false,
    finding: 'a trusted proxy in front of api writes no IP address into X-Forwarded-For',
    hint: expect.stringContaining('Configure the proxy'),
  });
  expect(of('running processes')).toMatchObject({
    ok: true,
    finding: '2 × api 0.0.1 (aaaaaaaaaaaa), 1 × webhook-dispatcher 0.0.1 (aaaaaaaaaaaa)',
    hint: expect.stringContaining('Finish the upgrade'),
  });
  await processes.deleteMany({});
});

test('doctor names a missing index, and indexes apply creates it', async () => {
  await testStore.database.collection('patients').dropIndex('email_token');
  const before = await examine(environmentOf(testStore));
  expect(before.code).toBe(1);
  expect(before.of('indexes')).toMatchObject({
    ok: false,
    finding: '1 missing: patients.email_token',
    hint: 'Run: chairside-admin indexes apply',
  });
  const { json } = await withKeys(testStore.encryptionKeys).run(['indexes', 'apply']);
  expect(json).toEqual({ created: ['patients.email_token'] });
  expect((await examine(environmentOf(testStore))).of('indexes')).toMatchObject({ ok: true });
});

test('indexes apply fails with instructions if an index exists with another definition', async () => {
  const patients = testStore.database.collection('patients');
  await patients.dropIndex('email_token');
  await patients.createIndex({ emailToken: 1 }, { name: 'email_token' });
  const { code, stderr } = await withKeys(testStore.encryptionKeys).run(['indexes', 'apply']);
  expect(code).toBe(1);
  expect(JSON.parse(stderr).error.message).toContain("db.patients.dropIndex('email_token')");
  await patients.dropIndex('email_token');
});

test('doctor reports each fault with its remedy: configuration, keys, MongoDB, Redis', async () => {
  expect((await examine({})).of('configuration')).toMatchObject({
    ok: false,
    hint: expect.stringContaining('MONGODB_URL'),
  });
  const foreign = await examine({ ...environmentOf(testStore), ENCRYPTION_KEYS: newKey('foreign') });
  expect(foreign.of('encryption keys')).toMatchObject({
    ok: false,
    hint: expect.stringContaining('Add the keys'),
  });
  const unreachable = await examine({
    ...environmentOf(testStore),
    MONGODB_URL: 'mongodb://127.0.0.1:1/x?serverSelectionTimeoutMS=500',
    REDIS_URL: 'redis://127.0.0.1:1',
  });
  expect(unreachable.of('MongoDB')).toMatchObject({
    ok: false,
    hint: expect.stringContaining('cannot be reached'),
  });
  expect(unreachable.of('Redis')).toMatchObject({
    ok: false,
    finding: expect.stringContaining('ECONNREFUSED'),
  });
});
