import { clock, newId } from '@chairside/domain';
import { SettingsError } from '@chairside/startup';
import type { Db } from 'mongodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPractice, type EmptyDatabase, openEmptyDatabase } from '../../test-support/src/index.ts';
import { withDatabase } from '../src/connection/connection-string.ts';
import { Database } from '../src/driver/database.ts';
import type { DataKeyDocument } from '../src/encryption/data-keys.ts';
import type { SettingDocument } from '../src/encryption/encryption-check.ts';
import { openSecrets } from '../src/encryption/secrets.ts';
import { checkVault, type VaultDocument } from '../src/encryption/vault.ts';
import { openRegistration } from '../src/preparation/running-processes.ts';
import { collectionsOf } from '../src/stores/collections.ts';
import { openWholeStore, type WholeStore } from '../src/stores/whole-store.ts';
import { startActor } from './interleavings.ts';

let service: EmptyDatabase;
let vaults: EmptyDatabase[];
const stores: WholeStore[] = [];
beforeEach(() => {
  service = openEmptyDatabase();
  vaults = [openEmptyDatabase(), openEmptyDatabase()];
});
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  await Promise.all([service, ...vaults].map((store) => store.close()));
});

const vault = (index = 0) => vaults[index] as EmptyDatabase;
const openWith = (vaultUrl: string | undefined, url = service.url): WholeStore => {
  const store = openWholeStore({ url, vaultUrl, encryptionKeys: service.encryptionKeys, appName: 'test' });
  stores.push(store);
  return store;
};
const keysIn = (of: EmptyDatabase) => of.database.collection<DataKeyDocument>('dataKeys');
const createPatient = async (store: WholeStore) => {
  const practice = await createPractice(store);
  const patient = {
    _id: newId(),
    clinicId: practice.clinicIds[0],
    name: 'Name',
    createdTime: clock.now().toISOString(),
    lastEditTime: clock.now().toISOString(),
  };
  await practice.store.patients.create(patient);
  return {
    readBy: async (reader: WholeStore) =>
      (await reader.organization(practice.organizationId).patients.find(patient._id))?.record,
    patient,
    organizationId: practice.organizationId,
  };
};

test('the data keys are in the vault alone, and nothing else is', async () => {
  const store = openWith(vault().url);
  // Several processes may start at once on a new database.
  await Promise.all([store, openWith(vault().url), openWith(vault().url)].map((each) => each.prepare()));
  const { patient, readBy } = await createPatient(store);
  const other = openWith(vault().url);
  await other.prepare();
  expect(await readBy(other)).toEqual(patient);
  expect(await keysIn(service).countDocuments()).toBe(0);
  expect(await keysIn(vault()).countDocuments()).toBe(2);
  const names = (await vault().database.listCollections().toArray()).map(({ name }) => name);
  expect(names.toSorted()).toEqual(['dataKeys', 'vault']);
  const { sealed, vault: inspectVault } = other.everyOrganization.administration.inspect();
  expect(await sealed()).toMatchObject({ refused: [] });
  expect(await inspectVault()).toEqual({ hasVault: true, problem: undefined });
});

test('of several processes that start at once on a new database, none takes the vault for that of another', async () => {
  const check = (database: Database, ofVault: Database) =>
    checkVault({
      settings: database.collection<SettingDocument>('settings'),
      ownKeys: database.collection<DataKeyDocument>('dataKeys'),
      secrets: openSecrets(service.encryptionKeys),
      vault: ofVault,
    });
  // One process stands still after each of its statements, while another one starts.
  for (let steps = 0, hasEnded = false; !hasEnded; steps++) {
    const opened = [openEmptyDatabase(), openEmptyDatabase()];
    const [database, ofVault] = opened.map((each) => new Database(each.database as unknown as Db)) as [
      Database,
      Database,
    ];
    const slow = await startActor(database, (gated, gatedToo) => check(gated, gatedToo(ofVault)));
    for (let step = 0; step < steps && !slow.hasEnded(); step++) await slow.step();
    hasEnded = slow.hasEnded();
    await check(database, ofVault);
    while (!slow.hasEnded()) await slow.step();
    expect(await ofVault.driver.collection('vault').countDocuments()).toBe(1);
    await Promise.all(opened.map((each) => each.close()));
  }
});

test('a vault that is missing, empty, or of another database is refused', async () => {
  const store = openWith(vault().url);
  await store.prepare();
  const { patient, readBy } = await createPatient(store);
  const refusals: [WholeStore, RegExp][] = [
    [openWith(undefined), /are in a vault\. Set VAULT_URL/],
    [openWith(vault(1).url), /is empty, .* Restore the vault/],
    [openWith(vault().url, withDatabase(service.url, `other_${newId()}`)), /the vault of another database/],
  ];
  for (const [refused, message] of refusals) {
    await expect(refused.prepare()).rejects.toThrow(SettingsError);
    await expect(refused.prepare()).rejects.toThrow(message);
    const { administration } = refused.everyOrganization;
    await expect(administration.checkDatabase()).rejects.toThrow(message);
    expect((await administration.inspect().vault()).problem).toMatch(message);
  }
  await vault()
    .database.collection<VaultDocument>('vault')
    .updateOne({ _id: 'vault' }, { $set: { pairId: 'another' } });
  await expect(openWith(vault().url).prepare()).rejects.toThrow(/the vault of another database/);
  expect(await readBy(store)).toEqual(patient);
});

test('the data keys move from the database into a vault, also after an interruption', async () => {
  const before = openWith(undefined);
  await before.prepare();
  const { patient, readBy, organizationId } = await createPatient(before);
  const after = openWith(vault().url);
  await expect(after.prepare()).rejects.toThrow(/encryption move-keys/);

  const { administration } = after.everyOrganization;
  const listener = { service: 'api', onUnreadable: () => {}, onFailed: () => {}, onSkew: () => {} };
  const running = openRegistration(collectionsOf(service.database as never), listener);
  await running.register();
  await expect(administration.moveKeys()).rejects.toThrow(/These processes run: api/);
  await running.end();

  const [first] = await keysIn(service).find().toArray();
  if (first === undefined) throw new Error('no key');
  // An interrupted move has copied one key.
  await keysIn(vault()).insertOne(first);
  expect(await administration.moveKeys()).toBe(2);
  expect(await administration.moveKeys()).toBe(0);
  expect(await keysIn(service).countDocuments()).toBe(0);
  await after.prepare();
  expect(await readBy(after)).toEqual(patient);
  await expect(openWith(undefined).prepare()).rejects.toThrow(/Set VAULT_URL/);
  await expect(openWith(vault(1).url).everyOrganization.administration.moveKeys()).rejects.toThrow(
    /is empty/,
  );

  await after.everyOrganization.administration.deleteOrganization(organizationId, {
    isTrial: false,
    author: { by: 'test' },
    settleMs: 0,
    onProgress: () => {},
  });
  expect(await keysIn(vault()).countDocuments({ wrapped: { $exists: true } })).toBe(0);
});

test('a move after one that was given up takes the present keys, not the copies of then', async () => {
  await openWith(undefined).prepare();
  const { patient, readBy } = await createPatient(stores[0] as WholeStore);
  const deleted = await createPatient(stores[0] as WholeStore);
  await keysIn(vault()).insertMany(await keysIn(service).find().toArray());
  // The services went on without the vault: an organization was deleted, and the master key replaced.
  await (stores[0] as WholeStore).everyOrganization.administration.deleteOrganization(
    deleted.organizationId,
    {
      isTrial: false,
      author: { by: 'test' },
      settleMs: 0,
      onProgress: () => {},
    },
  );
  const keys = `new:${Buffer.alloc(32, 7).toString('base64')}`;
  const open = (encryptionKeys: string, vaultUrl?: string) => {
    const store = openWholeStore({ url: service.url, vaultUrl, encryptionKeys, appName: 'test' });
    stores.push(store);
    return store;
  };
  const rotating = open(`${keys},${service.encryptionKeys}`);
  await rotating.everyOrganization.administration.rotateEncryption(() => {});
  const moved = open(keys, vault().url);
  await moved.everyOrganization.administration.moveKeys();
  expect(await readBy(moved)).toEqual(patient);
  const left = { organizationId: deleted.organizationId, wrapped: { $exists: true } };
  expect(await keysIn(vault()).countDocuments(left)).toBe(0);
});

test('no service starts while keys are left that an interrupted move has not removed', async () => {
  await openWith(undefined).prepare();
  const { patient, readBy } = await createPatient(stores[0] as WholeStore);
  const keys = await keysIn(service).find().toArray();
  const after = openWith(vault().url);
  const { administration } = after.everyOrganization;
  await administration.moveKeys();
  await keysIn(service).insertMany(keys);
  await expect(after.prepare()).rejects.toThrow(/interrupted.*encryption move-keys/);
  await expect(administration.checkDatabase()).rejects.toThrow(SettingsError);
  expect(await administration.moveKeys()).toBe(2);
  await after.prepare();
  expect(await readBy(after)).toEqual(patient);
});

test('the database itself, and the database of another service, are refused as a vault', async () => {
  const store = openWith(undefined);
  await store.prepare();
  const { patient, readBy } = await createPatient(store);
  // Another user or host name in the URL hides that it is the same database.
  const itself = openWith(`${service.url}${service.url.includes('?') ? '&' : '?'}appName=vault`);
  await expect(itself.everyOrganization.administration.moveKeys()).rejects.toThrow(/a database of its own/);
  expect(await keysIn(service).countDocuments()).toBe(2);
  await expect(itself.prepare()).rejects.toThrow(/a database of its own/);
  await openWith(undefined, vault().url).prepare();
  await expect(openWith(vault().url).prepare()).rejects.toThrow(/a database of its own/);
  expect(await readBy(store)).toEqual(patient);
});

test('a data key that an older backup of the vault lacks keeps its number, and opens values when it is back', async () => {
  const store = openWith(vault().url);
  await store.prepare();
  const { patient, readBy, organizationId } = await createPatient(store);
  const rotate = (of: WholeStore) =>
    of.everyOrganization.administration.rotateDataKey(organizationId, () => {});
  await rotate(store);
  const [second] = await keysIn(vault()).find({ number: 2 }).toArray();
  if (second === undefined) throw new Error('no key');
  await keysIn(vault()).deleteOne({ _id: second._id });
  expect((await rotate(openWith(vault().url))).refused).toHaveLength(1);
  // As mongorestore, which leaves a document that exists as it is.
  await keysIn(vault()).insertOne(second);
  const restored = openWith(vault().url);
  expect((await rotate(restored)).refused).toEqual([]);
  expect(await readBy(restored)).toEqual(patient);
});

test('another master key reaches the vault', async () => {
  await openWith(vault().url).prepare();
  const { patient, readBy } = await createPatient(stores[0] as WholeStore);
  const keys = `new:${Buffer.alloc(32, 7).toString('base64')}`;
  const open = (encryptionKeys: string) => {
    const store = openWholeStore({
      url: service.url,
      vaultUrl: vault().url,
      encryptionKeys,
      appName: 'test',
    });
    stores.push(store);
    return store;
  };
  const rotating = open(`${keys},${service.encryptionKeys}`);
  await rotating.everyOrganization.administration.rotateEncryption(() => {});
  const alone = open(keys);
  await alone.prepare();
  expect(await readBy(alone)).toEqual(patient);
});
