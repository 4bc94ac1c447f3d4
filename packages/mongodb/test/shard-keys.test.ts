import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { openTestStore } from '../../test-practice/src/index.ts';

const ROW = /^\| `(\w+)` \| (?:`(\{.*\})`|not sharded) \|/gm;

/** Collection → the fields of its shard key in order, as operators are told; none for one that is not sharded. */
const shardKeys = (): Map<string, string[]> => {
  const text = readFileSync(new URL('../../../docs/operation.md', import.meta.url), 'utf8');
  const section = text.slice(text.indexOf('## MongoDB, sharded'), text.indexOf('## Threads for look-ups'));
  return new Map(
    [...section.matchAll(ROW)].map(([, name = '', key = '']) => [
      name,
      [...key.matchAll(/(\w+):/g)].map(([, field = '']) => field),
    ]),
  );
};

test('every collection has its shard key written down, and every unique index begins with it', async () => {
  const { database, close } = await openTestStore();
  onTestFinished(close);
  const keys = shardKeys();
  const collections = (await database.listCollections({}, { nameOnly: true }).toArray()).map(
    ({ name }) => name,
  );
  expect(collections.length).toBeGreaterThan(10);
  for (const name of collections) {
    const shardKey = keys.get(name);
    expect({ name, isWrittenDown: shardKey !== undefined }).toEqual({ name, isWrittenDown: true });
    for (const index of await database.collection(name).indexes()) {
      if (index.unique !== true || shardKey === undefined) continue;
      const fields = Object.keys(index.key).slice(0, shardKey.length);
      expect({ name, index: index.name, fields }).toEqual({ name, index: index.name, fields: shardKey });
    }
  }
  expect([...keys.values()].filter((key) => key.length > 0).length).toBeGreaterThan(5);
});
