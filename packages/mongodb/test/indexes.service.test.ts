import { UnusableDatabaseError } from '@chairside/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestStore, type TestStore } from '../../test-support/src/index.ts';
import {
  applyIndexes,
  dropRetiredIndexes,
  missingIndexes,
  retiredIndexes,
} from '../src/preparation/indexes.ts';

let testStore: TestStore;
beforeAll(async () => {
  testStore = await openTestStore();
});
afterAll(() => testStore.close());

const indexNames = async (collection: string) =>
  (await testStore.database.collection(collection).indexes()).map(({ name }) => name);

test.each([
  ['another definition under its name', 'list', { name: 1 }, {}],
  ['other options under its name', 'list', { organizationId: 1, _id: 1 }, { sparse: true }],
  ['its key under another name', 'by_hand', { organizationId: 1, _id: 1 }, {}],
] as const)(
  'the error for an index that exists with %s contains its name and the command that drops it',
  async (_, name, key, options) => {
    const patients = testStore.database.collection('patients');
    await patients.dropIndex('list');
    await patients.createIndex(key, { name, ...options });
    const error: unknown = await applyIndexes(testStore.database).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnusableDatabaseError);
    const { message } = error as Error;
    expect(message).toContain('The index list of patients cannot be created');
    const [, collection = '', dropped = ''] = /db\.(\w+)\.dropIndex\('(\w+)'\)/.exec(message) ?? [];
    await testStore.database.collection(collection).dropIndex(dropped);
    await applyIndexes(testStore.database);
    expect(await missingIndexes(testStore.database)).toEqual([]);
  },
);

test('indexes of earlier versions stay until they are dropped', async () => {
  const { database } = testStore;
  const before = await indexNames('auditEntries');
  expect(await retiredIndexes(database)).toEqual([]);
  await database
    .collection('auditEntries')
    .createIndex({ organizationId: 1, ids: 1, time: 1 }, { name: 'record' });
  await applyIndexes(database);
  expect(await retiredIndexes(database)).toEqual(['auditEntries.record']);
  expect(await dropRetiredIndexes(database)).toEqual(['auditEntries.record']);
  expect(await dropRetiredIndexes(database)).toEqual([]);
  expect(await indexNames('auditEntries')).toEqual(before);
});
