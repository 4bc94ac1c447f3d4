import { newId } from '@chairside/domain';
import type { Collection } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestStore, type TestStore } from '../../test-support/src/index.ts';
import { insertsInto } from '../src/records/record-inserts.ts';
import type { RecordDocument } from '../src/records/record-shapes.ts';

let testStore: TestStore;
let collection: Collection<RecordDocument>;
beforeAll(async () => {
  testStore = await openTestStore();
  collection = testStore.database.collection('patients');
});
afterAll(() => testStore.close());

const document = (_id = newId(), organizationId = newId()): RecordDocument => ({
  _id,
  organizationId,
  revision: 1,
  lastEditTime: new Date(),
});

/** Records the sizes of the insert statements of the collection, and refuses the statements that `refuse` selects. */
const watched = (refuse: (documents: readonly RecordDocument[]) => Error | undefined = () => undefined) => {
  const sizes: number[] = [];
  const proxy = new Proxy(collection, {
    get: (target, name) =>
      name !== 'insertMany'
        ? Reflect.get(target, name)
        : async (...given: Parameters<typeof target.insertMany>) => {
            sizes.push(given[0].length);
            const refusal = refuse(given[0] as RecordDocument[]);
            if (refusal !== undefined) throw refusal;
            return target.insertMany(...given);
          },
  });
  return { sizes, insert: insertsInto(proxy) };
};

test('records of concurrent callers are stored together, and each caller gets the result of its own record', async () => {
  const { insert, sizes } = watched();
  const [known, twice] = [document(), document()];
  await insert(known);
  const others = Array.from({ length: 50 }, () => document());
  const results = await Promise.all([known, twice, { ...twice, revision: 2 }, ...others].map(insert));
  expect(results).toEqual(['exists', 'created', 'exists', ...others.map(() => 'created')]);
  expect(sizes).toEqual([1, 53]);
  expect((await collection.findOne({ _id: twice._id }))?.revision).toBe(1);
  expect(await collection.countDocuments({ _id: { $in: others.map(({ _id }) => _id) } })).toBe(50);
});

test('a record that makes a whole statement fail does not prevent the other records from being stored', async () => {
  const odd = document();
  const { insert } = watched((documents) => (documents.includes(odd) ? new Error('too odd') : undefined));
  const results = await Promise.allSettled([document(), odd, document()].map(insert));
  expect(
    results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.message)),
  ).toEqual(['created', 'too odd', 'created']);
});

test('when the database is unreachable, the records are not retried one by one', async () => {
  const unreachable = Object.assign(new Error('unreachable'), { code: 'ECONNRESET' });
  const { insert, sizes } = watched(() => unreachable);
  const results = await Promise.allSettled([document(), document(), document()].map(insert));
  expect(results).toEqual(Array(3).fill({ status: 'rejected', reason: unreachable }));
  expect(sizes).toEqual([3]);
});
