import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestStore, type TestStore } from '../../test-support/src/index.ts';
import { Database, type Manner } from '../src/driver/database.ts';
import { rowsOf } from '../src/driver/rows.ts';

let testStore: TestStore;
let client: MongoClient;
beforeAll(async () => {
  testStore = await openTestStore();
  client = await new MongoClient(testStore.url, { monitorCommands: true }).connect();
  await client
    .db()
    .collection('rows')
    .insertMany(Array.from({ length: 50 }, () => ({})));
});
afterAll(async () => {
  await client.close();
  await testStore.close();
});

test.each<[string, Manner]>([
  ['of the driver', {}],
  ['with a statement for each batch', { around: (statement) => statement() }],
])('a reader that stops early closes the cursor %s', async (_, manner) => {
  const commands: string[] = [];
  const note = ({ commandName }: { commandName: string }) => commands.push(commandName);
  client.on('commandStarted', note);
  try {
    const found = new Database(client.db(), manner).collection('rows').find({}, { batchSize: 20 });
    let read = 0;
    for await (const _row of rowsOf(found, (row) => row)) if (++read === 25) break;
    expect(commands).toEqual(['find', 'getMore', 'killCursors']);
  } finally {
    client.off('commandStarted', note);
  }
});
