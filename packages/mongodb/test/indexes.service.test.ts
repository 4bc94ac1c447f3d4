import { UnusableDatabaseError } from '@chairside/startup';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestStore, type TestStore } from '../../test-support/src/index.ts';
import { applyIndexes, missingIndexes } from '../src/preparation/indexes.ts';

let testStore: TestStore;
beforeAll(async () => {
  testStore = await openTestStore();
});
afterAll(() => testStore.close());

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
