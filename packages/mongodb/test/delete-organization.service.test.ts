import { newId } from '@chairside/domain';
import type { Db } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPractice, openTestStore, type TestStore } from '../../test-support/src/index.ts';
import { ORGANIZATION_COLLECTIONS, SHARED_COLLECTIONS } from '../src/administration/delete-organization.ts';
import { Database } from '../src/driver/database.ts';
import { shapes } from '../src/records/record-shapes.ts';
import { settingShapes } from '../src/schedule/practice-settings.ts';
import { collectionsOf } from '../src/stores/collections.ts';

type Stored = { _id: string; organizationId: string };

let testStore: TestStore;
beforeAll(async () => {
  testStore = await openTestStore();
});
afterAll(() => testStore.close());

const collection = (name: string) => testStore.database.collection<Stored>(name);

/** A document that differs from every other one in all unique indexes. */
const documentOf = (organizationId: string): Stored => {
  const _id = newId();
  const unique = { clinicId: _id, secretHash: _id, tokenHash: _id, emailLowerCase: _id, externalId: _id };
  // No document of the service has this slot.
  return Object.assign({ _id, organizationId, slot: 100_000 }, unique);
};

/** An organization with one document in each of its collections. */
const openOrganization = async (): Promise<string> => {
  const { organizationId } = await createPractice(testStore.store);
  for (const name of ORGANIZATION_COLLECTIONS) await collection(name).insertOne(documentOf(organizationId));
  return organizationId;
};

/** The collections with a document that contains this text. */
const collectionsWith = async (text: string): Promise<string[]> => {
  const found: string[] = [];
  for (const { name } of await testStore.database.listCollections().toArray()) {
    const documents = await collection(name).find().toArray();
    if (JSON.stringify(documents).includes(text)) found.push(name);
  }
  return found.toSorted();
};

/** Names the organization for ever: its destroyed keys, and its deletion. */
const LEFT = ['dataKeys', 'organizationDeletions'];

const options = { isTrial: false, author: { by: 'test' }, settleMs: 0, onProgress: () => {} };
const remove = (id: string, more: object = {}) =>
  testStore.store.everyOrganization.administration.deleteOrganization(id, { ...options, ...more });

test('every collection is known: of an organization, or shared', () => {
  const all = [
    ...Object.keys(collectionsOf(new Database(testStore.database as Db))),
    ...[...Object.values(shapes), ...Object.values(settingShapes)].map((shape) => shape.collection),
  ];
  const known = [...ORGANIZATION_COLLECTIONS, ...SHARED_COLLECTIONS, 'organizations'];
  expect(known.toSorted()).toEqual([...new Set(all)].toSorted());
});

test('deletes everything of the organization, and nothing of another one', async () => {
  const [id, other] = [await openOrganization(), await openOrganization()];
  const before = await collectionsWith(other);
  const trial = await remove(id, { isTrial: true });
  expect(Object.keys(trial?.removed ?? {}).toSorted()).toEqual([...ORGANIZATION_COLLECTIONS].toSorted());
  expect(await collectionsWith(id)).toEqual(before);

  const report = await remove(id);
  expect(report).toMatchObject({ organizationId: id, removed: trial?.removed, name: trial?.name });
  expect(report?.endedTime).toBeDefined();
  expect(await collectionsWith(id)).toEqual(LEFT);
  expect(await collectionsWith(other)).toEqual(before);
  const { administration } = testStore.store.everyOrganization;
  expect(await administration.deletions()).toContainEqual({ ...report, name: undefined });
});

test('deletes the codes and tokens of connected apps', async () => {
  const id = await openOrganization();
  const grantId = (await collection('connections').findOne({ organizationId: id }))?._id;
  const states = testStore.database.collection<{ _id: string; grantId?: string | undefined }>('oauthState');
  await states.insertMany([
    { _id: newId(), grantId },
    { _id: newId(), grantId: newId() },
  ]);
  await remove(id);
  expect(await states.countDocuments({ grantId })).toBe(0);
  expect(await states.countDocuments()).toBe(1);
});

test('more documents than a statement deletes', async () => {
  const id = await openOrganization();
  const many = Array.from({ length: 2500 }, () => documentOf(id));
  await collection('patients').insertMany(many);
  const progress: number[] = [];
  const report = await remove(id, { onProgress: (done: number) => progress.push(done) });
  expect(report?.removed.patients).toBeGreaterThan(2500);
  expect(progress).toEqual(progress.toSorted((one, next) => one - next));
  expect(progress.at(-1)).toBe(Object.values(report?.removed ?? {}).reduce((sum, count) => sum + count, 0));
});

test('an interrupted deletion lets nobody begin work, and is completed by the next call', async () => {
  const id = await openOrganization();
  let pages = 0;
  const interrupted = remove(id, {
    onProgress() {
      if (++pages === 9) throw new Error('killed');
    },
  });
  await expect(interrupted).rejects.toThrow('killed');
  const { administration } = testStore.store.everyOrganization;
  expect(await administration.organizationExists(id)).toBe(false);
  expect(await administration.deletions()).toContainEqual({
    organizationId: id,
    begunTime: expect.any(String),
    runs: [{ id: expect.stringMatching(/^admin-/), by: 'test' }],
    removed: expect.any(Object),
  });
  const report = await remove(id);
  expect(Object.keys(report?.removed ?? {}).toSorted()).toEqual([...ORGANIZATION_COLLECTIONS].toSorted());
  expect(await collectionsWith(id)).toEqual(LEFT);
});

test('what is written meanwhile, and after the end by a process that stood still, is deleted, too', async () => {
  const id = await openOrganization();
  const write = () => collection('sessions').insertOne(documentOf(id));
  const before = (await remove(id, { isTrial: true }))?.removed.sessions ?? 0;
  let isWritten = false;
  const report = await remove(id, {
    onProgress() {
      if (!isWritten) void write();
      isWritten = true;
    },
  });
  expect(report?.removed.sessions).toBe(before + 1);
  expect(await collectionsWith(id)).toEqual(LEFT);
  await write();
  expect((await remove(id))?.removed.sessions).toBe(before + 2);
  expect(await collectionsWith(id)).toEqual(LEFT);
});

test('gives up while something writes again and again', async () => {
  const id = await openOrganization();
  const patients = collection('patients');
  const refused = remove(id, {
    // Patients come after sessions, so each pass finds the session of the pass before.
    async onProgress() {
      await collection('sessions').insertOne(documentOf(id));
    },
    settleMs: 50,
  });
  await expect(refused).rejects.toThrow('Something still writes data');
  expect(await patients.countDocuments({ organizationId: id })).toBe(0);
});

test('knows no organization that never existed', async () => {
  expect(await remove(newId())).toBeUndefined();
});
