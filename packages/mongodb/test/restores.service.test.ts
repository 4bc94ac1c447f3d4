import { clock, newId } from '@chairside/domain';
import type { Document } from 'mongodb';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import {
  createKey,
  createPractice,
  type EmptyDatabase,
  openEmptyDatabase,
  type Practice,
  plantConnection,
  takeBackup,
} from '../../test-support/src/index.ts';
import { vaultRoles } from '../src/preparation/database-roles.ts';
import { openWholeStore, type WholeStore } from '../src/stores/whole-store.ts';
import { neededRole, type SentCommand, sorted } from './role-use.ts';

let service: EmptyDatabase;
let vault: EmptyDatabase;
let store: WholeStore;
/** The commands that the vault got during a test. */
let sentToVault: SentCommand[];
beforeEach(async () => {
  service = openEmptyDatabase();
  vault = openEmptyDatabase();
  sentToVault = [];
  store = openWholeStore({
    url: service.url,
    vaultUrl: vault.url,
    encryptionKeys: service.encryptionKeys,
    appName: 'test',
    onCommand(name, command) {
      if (command.$db === vault.database.databaseName) sentToVault.push({ name, command });
    },
  });
  await store.prepare();
  return () => Promise.all([store, service, vault].map((each) => each.close()));
});

const author = { by: 'test' };
/** Nothing else runs, so there is nothing to wait for. */
const settled = { isTrial: false, settleMs: 0 };
const watch = () => store.everyOrganization.restoreWatch;
const restores = () => store.everyOrganization.administration.restores;
const seal = (isTrial = false, onProgress = (_done: number): void => {}) =>
  restores().seal({ author, isTrial, onProgress, settleMs: 0 });
const inVault = () => vault.database.collection<Document & { _id: string }>('endings').find().toArray();
const unique = (name: string) => `${name}.${newId()}@example.com`;

const createOperator = async ({ store: own }: Practice) => {
  const fields = { email: unique('operator'), password: 'correct horse battery', role: 'staff' as const };
  const made = await own.operators.create(fields, clock.now());
  if (typeof made === 'string') throw new Error(made);
  return made._id;
};
const createPatient = async ({ store: own, clinicIds }: Practice) => {
  const time = clock.now().toISOString();
  const patient = {
    _id: newId(),
    clinicId: clinicIds[0],
    name: 'Name',
    createdTime: time,
    lastEditTime: time,
  };
  await own.patients.create(patient);
  return patient._id;
};

/** One of everything that can end, and the function that ends it all. */
const createEndings = async () => {
  const practice = await createPractice(store);
  const gone = await createPractice(store);
  const { organizationId, store: own, clinicIds, administrator } = practice;
  const now = clock.now();
  const key = await createKey(own, { name: 'program', scopes: [], rateLimit: 100 }, now);
  const session = await service.database.collection('sessions').findOne({ operatorId: administrator._id });
  const token = await own.programTokens.create(
    String(session?._id),
    { name: 'program', access: 'webhooks', lifetimeDays: 90 },
    now,
  );
  const subscribed = await own.subscriptions.create(
    { clinicId: clinicIds[0], url: 'https://receiver.example.com/' } as never,
    now,
  );
  const withFactor = await createOperator(practice);
  await own.factors.beginCode(withFactor, 'SECRET', now);
  await own.factors.addCode(withFactor, 'SECRET', 0, ['code'], now);
  const factor = (
    await service.database
      .collection<{ _id: string; codeId: string }>('operators')
      .findOne({ _id: withFactor })
  )?.codeId;
  if (typeof token === 'string' || typeof subscribed === 'string') throw new Error('not created');
  const ids = {
    apiKey: key._id,
    programToken: token._id,
    subscription: (subscribed as { _id: string })._id,
    connection: await plantConnection(service.database, { organizationId, operatorId: administrator._id }),
    operator: await createOperator(practice),
    disabledOperator: await createOperator(practice),
    factor,
    patient: await createPatient(practice),
    patientRecords: await createPatient(practice),
  };
  const end = async () => {
    const { administration } = store.everyOrganization;
    const run = { ...author, id: 'admin-test', organizationId };
    await own.apiKeys.delete(ids.apiKey);
    await own.programTokens.end(ids.programToken, clock.now());
    await own.subscriptions.delete(ids.subscription);
    await own.connections.delete(ids.connection, clock.now());
    await own.operators.remove(ids.operator);
    await own.operators.update(ids.disabledOperator, { active: false }, clock.now());
    await own.factors.removeCode(withFactor, clock.now());
    await administration.erasePatient(run, ids.patient, { ...settled, keepBilling: false });
    await administration.erasePatient(run, ids.patientRecords, { ...settled, keepBilling: true });
    await administration.deleteOrganization(gone.organizationId, { ...settled, author, onProgress() {} });
  };
  return { practice, gone, ids, withFactor, end };
};

test('what has ended is in the vault within a step, and nothing but ids', async () => {
  const { ids, end } = await createEndings();
  expect(await watch().step()).toBe('current');
  await end();
  expect(await watch().step()).toBe('current');
  const entered = await inVault();
  expect(Object.fromEntries(entered.map(({ kind, id }) => [kind, id]))).toEqual(ids);
  for (const ending of entered)
    expect(Object.keys(ending).toSorted()).toEqual(['_id', 'id', 'kind', 'organizationId', 'time']);
  expect(await service.database.collection('endings').countDocuments()).toBe(0);
});

test('a restored database is noticed, and a seal revives nothing', async () => {
  const { practice, gone, ids, withFactor, end } = await createEndings();
  await watch().step();
  const restore = await takeBackup(service.database);
  await end();
  await watch().step();
  expect(await watch().state()).toBe('current');

  await restore();
  expect(await watch().state()).toBe('restored');
  // However long it runs, the number does not grow.
  for (let steps = 0; steps < 5; steps++) expect(await watch().step()).toBe('restored');
  const { store: own } = practice;
  expect(await own.operators.find(ids.operator)).toBeDefined();

  const wanted = {
    organizations: [gone.organizationId],
    ended: Object.fromEntries(Object.entries(ids).map(([kind, id]) => [kind, [id]])),
    links: 0,
    mails: 0,
  };
  expect(await seal(true)).toMatchObject(wanted);
  expect(await own.operators.find(ids.operator)).toBeDefined();
  expect(await watch().state()).toBe('restored');

  expect(await seal()).toMatchObject(wanted);
  expect(await own.operators.find(ids.operator)).toBeUndefined();
  expect(await own.operators.find(ids.disabledOperator)).toMatchObject({ active: false });
  expect(await own.apiKeys.reveal(ids.apiKey)).toBeUndefined();
  expect(await own.factors.find(withFactor)).not.toHaveProperty('codes');
  for (const patient of [ids.patient, ids.patientRecords])
    expect(await own.patients.find(patient)).toBeUndefined();
  expect(await service.database.collection('connections').countDocuments()).toBe(0);
  expect(await service.database.collection('sessions').countDocuments()).toBe(0);
  expect(
    await service.database
      .collection<{ _id: string }>('organizations')
      .countDocuments({ _id: gone.organizationId }),
  ).toBe(0);

  // What waits keeps waiting, until it is decided about.
  expect(await watch().step()).toBe('sealed');
  await restores().settle();
  expect(await watch().step()).toBe('current');
});

test('a seal that is interrupted is finished by the next one', async () => {
  const { ids, practice, end } = await createEndings();
  await watch().step();
  const restore = await takeBackup(service.database);
  await end();
  await watch().step();
  await restore();
  const interrupt = (done: number) => {
    if (done === 3) throw new Error('interrupted');
  };
  await expect(seal(false, interrupt)).rejects.toThrow('interrupted');
  expect(await watch().step()).toBe('restored');
  await seal();
  expect(await watch().step()).toBe('sealed');
  expect(await practice.store.patients.find(ids.patient)).toBeUndefined();
  // The second seal finds nothing any more.
  expect(await seal(true)).toMatchObject({ organizations: [], ended: {}, sessions: 0 });
});

test('a seal ends sessions, links and mails that wait', async () => {
  const practice = await createPractice(store);
  const invited = await practice.store.operators.invite(
    { email: unique('invited'), role: 'staff' },
    true,
    clock.now(),
  );
  if (typeof invited === 'string') throw new Error(invited);
  // The backup has a fact that was not told yet.
  const { administrator, organizationId } = practice;
  await practice.store.operators.update(administrator._id, { password: 'another password' }, clock.now());
  expect(await store.everyOrganization.notices.due([])).toContain(organizationId);
  await watch().step();
  const restore = await takeBackup(service.database);
  await createOperator(practice);
  const operators = service.database.collection('operators');
  // The number grows with time, also if nothing ends.
  await service.database.collection('sequence').updateOne({}, { $set: { time: new Date(0) } });
  await watch().step();
  await restore();
  expect(await watch().state()).toBe('restored');
  const report = await seal();
  expect(report).toMatchObject({ links: 1, mails: 1 });
  expect(report?.facts).toBeGreaterThan(0);
  expect(await store.everyOrganization.notices.due([])).not.toContain(organizationId);
  expect(report?.sessions).toBeGreaterThan(0);
  expect(
    await store.everyOrganization.operatorLinks.find('invitation', invited.secret, clock.now()),
  ).toBeUndefined();
  expect(await operators.countDocuments({ 'invitation.expiryTime': { $gt: clock.now() } })).toBe(0);
});

test('a pause is no restore, and neither is a new database', async () => {
  expect(await watch().state()).toBe('current');
  await watch().step();
  await service.database.collection('sequence').updateOne({}, { $set: { time: new Date(0) } });
  expect(await watch().state()).toBe('current');
  expect(await watch().step()).toBe('current');
});

test('the state ends when an operator says that nothing was restored', async () => {
  await createPractice(store);
  await watch().step();
  const restore = await takeBackup(service.database);
  await service.database.collection('sequence').updateOne({}, { $set: { time: new Date(0) } });
  await watch().step();
  await restore();
  // A process that runs notices it by itself, and so does one that starts.
  expect(await watch().step()).toBe('restored');
  expect(await restores().none()).toBe(true);
  expect(await watch().step()).toBe('current');
});

test('without a vault, only a process that runs notices a restore', async () => {
  const { url, encryptionKeys, database, close } = openEmptyDatabase();
  onTestFinished(close);
  const alone = openWholeStore({ url, encryptionKeys, appName: 'test' });
  await alone.prepare();
  const { restoreWatch, administration } = alone.everyOrganization;
  expect(await restoreWatch.step()).toBe('current');
  const restore = await takeBackup(database);
  await database.collection('sequence').updateOne({}, { $set: { time: new Date(0) } });
  await restoreWatch.step();
  await restore();
  expect(await restoreWatch.step()).toBe('wentBack');
  expect(await restoreWatch.step()).toBe('current');
  expect(
    await administration.restores.seal({ author, isTrial: false, onProgress: () => {} }),
  ).toBeUndefined();
  expect(await administration.restores.none()).toBe(false);
  await alone.close();
});

test('the vault gets exactly the commands that its role allows', async () => {
  const { practice, end } = await createEndings();
  await watch().step();
  const restore = await takeBackup(service.database);
  await end();
  await watch().step();
  await restore();
  await seal();
  await restores().none();
  const { administration } = store.everyOrganization;
  await administration.rotateDataKey(practice.organizationId, () => {});
  await administration.rotateEncryption(() => {});
  await administration.moveKeys();
  for (const inspect of Object.values(administration.inspect())) await inspect();
  expect(neededRole(sentToVault)).toEqual(sorted(vaultRoles.chairsideVault));
});
