import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type DatabaseProxy,
  openTestStore,
  startDatabaseProxy,
  type TestStore,
} from '../../test-support/src/index.ts';
import { createClient, withTimeLimit } from '../src/connection/client.ts';
import { unavailabilityOf } from '../src/driver/unavailable.ts';

/** The size of a write in bytes. It exceeds the socket buffers between a client and a server. */
const LARGE = 12_000_000;
const PATIENCE = { waitMs: 1500, operationMs: 300 };

let testStore: TestStore;
let proxy: DatabaseProxy;
beforeAll(async () => {
  testStore = await openTestStore();
  proxy = await startDatabaseProxy(testStore.url);
});
afterAll(async () => {
  await proxy.close();
  await testStore.close();
});

const thrownBy = (working: Promise<unknown>): Promise<unknown> =>
  working.then(
    () => undefined,
    (reason: unknown) => reason,
  );

test('the database aborts every operation before its connection times out', async () => {
  const limits = new Map<string, unknown>();
  const client = createClient({
    url: proxy.url,
    appName: 'test',
    patience: PATIENCE,
    onCommand: (name, { maxTimeMS }) => void limits.set(name, maxTimeMS),
  });
  const collection = withTimeLimit(client.db(), PATIENCE).collection<{ _id: number; text?: string }>(
    'limited',
  );
  await collection.insertOne({ _id: 1 });
  await collection.insertMany([{ _id: 2 }]);
  await collection.updateOne({ _id: 1 }, { $set: { text: 'x' } });
  await collection.updateMany({ _id: 1 }, { $set: { text: 'y' } });
  await collection.findOneAndUpdate({ _id: 1 }, { $set: { text: 'z' } });
  await collection.bulkWrite([{ deleteOne: { filter: { _id: 2 } } }]);
  await collection.deleteMany({ _id: 3 });
  await collection.find({}).toArray();
  await collection.findOne({ _id: 1 });
  await collection.countDocuments({});
  for (const [name, limit] of limits) expect({ name, limit }).toEqual({ name, limit: 270 });
  expect([...limits.keys()].toSorted()).toEqual([
    'aggregate',
    'delete',
    'find',
    'findAndModify',
    'insert',
    'update',
  ]);

  await collection.updateMany({ _id: 1 }, { $set: { text: 'z' } }, { maxTimeMS: 100 });
  expect(limits.get('update')).toBe(100);
  await client.close();
});

test('a connection stays usable after the database aborts an operation for its time limit', async () => {
  const client = createClient({ url: proxy.url, appName: 'test', patience: PATIENCE });
  const collection = client.db().collection('slow');
  await collection.insertOne({ text: 'small' });
  let closed = 0;
  client.on('connectionClosed', () => closed++);
  const removeFault = proxy.inject({
    matches: (name) => name === 'find',
    fault: { kind: 'error', code: 50 },
  });
  expect(unavailabilityOf(await thrownBy(collection.findOne({})))).toBe('overloaded');
  removeFault();
  await collection.findOne({});
  expect(closed).toBe(0);
  await client.close();
});

test('a URL cannot change the guarantees of reads and writes', () => {
  const url = `${proxy.url}&w=1&journal=false&j=false&wtimeoutMS=5&readPreference=secondary&readPreferenceTags=dc:a&maxStalenessSeconds=100&readConcernLevel=available&socketTimeoutMS=7&maxPoolSize=3&appName=other`;
  const { options } = createClient({ url, appName: 'test', patience: PATIENCE });
  expect(options).toMatchObject({
    readPreference: { mode: 'primary' },
    socketTimeoutMS: PATIENCE.operationMs,
    maxPoolSize: 3,
    appName: 'other',
  });
  expect(options.writeConcern).toEqual({ w: 'majority', journal: true, j: true });
  expect(options.readConcern).toBeUndefined();
});

test('a database that does not respond counts as unreachable', async () => {
  const client = createClient({ url: proxy.url, appName: 'test', patience: PATIENCE });
  const collection = client.db().collection('silent');
  await collection.insertOne({ text: 'small' });
  const never = new Promise<void>(() => {});
  const fault = { kind: 'delay' as const, until: never };
  const removeFault = proxy.inject({ matches: (name) => name === 'find', fault });
  expect(unavailabilityOf(await thrownBy(collection.findOne({})))).toBe('unreachable');
  removeFault();
  await client.close();
});

test('a large write times out when the database stops reading it half-way', async () => {
  const deaf = await startDatabaseProxy(testStore.url);
  const client = createClient({ url: deaf.url, appName: 'test', patience: PATIENCE });
  const collection = client.db().collection('large');
  await collection.insertOne({ text: 'small' });
  deaf.turnDeaf();
  const error = await thrownBy(collection.insertOne({ text: 'x'.repeat(LARGE) }));
  expect(unavailabilityOf(error)).toBe('unreachable');
  await client.close();
  await deaf.close();
});
