import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  openTestStore,
  type TestStore,
  throughProxy,
  writableServer,
} from '../../test-practice/src/index.ts';
import { createClient, isDatabaseAway } from '../src/database.ts';

/** More than what the sockets between a client and a server hold. */
const LARGE = 12_000_000;

let testStore: TestStore;
beforeAll(async () => {
  testStore = await openTestStore();
});
afterAll(() => testStore.close());

/** Stands between a client and the database, and stops reading when it is told to. */
const openProxy = async (store: TestStore) => {
  let isDeaf = false;
  const target = await writableServer(store);
  const proxy = createServer((client) => {
    const server = connect(target);
    client.on('data', (chunk) => {
      server.write(chunk);
      if (isDeaf) client.pause();
    });
    server.pipe(client);
    for (const end of [client, server])
      end.on('error', () => {}).on('close', () => [client, server].map((each) => each.destroy()));
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: throughProxy(store.url, (proxy.address() as AddressInfo).port),
    turnDeaf() {
      isDeaf = true;
    },
    close: () => proxy.close(),
  };
};

test('a large write ends also when the database stops reading it half-way', async () => {
  const proxy = await openProxy(testStore);
  const client = createClient({ url: proxy.url, appName: 'test', operationTimeout: 300 });
  const collection = client.db().collection('large');
  await collection.insertOne({ text: 'small' });
  proxy.turnDeaf();
  const error = await collection.insertOne({ text: 'x'.repeat(LARGE) }).catch((reason: unknown) => reason);
  expect(isDatabaseAway(error)).toBe(true);
  await client.close();
  proxy.close();
});
