import { readFileSync } from 'node:fs';
import { type Db, MinKey } from 'mongodb';

/** Matches a row of the table of collections: the collection, and its shard key if it is sharded. */
const ROW = /^\| `(\w+)` \| (?:`(\{.*\})`|not sharded) \|/gm;

type ShardKey = Readonly<Record<string, 1 | 'hashed'>>;

/**
 * Maps collections to shard keys, read from the table in `docs/operation/install.md`. A collection that is not sharded
 * has an empty key.
 */
export const shardKeys = (): Map<string, ShardKey> => {
  const text = readFileSync(new URL('../../../docs/operation/install.md', import.meta.url), 'utf8');
  const section = text.slice(text.indexOf('### Sharded cluster'), text.indexOf('## Redis'));
  return new Map(
    [...section.matchAll(ROW)].map(([, name = '', key = '']) => {
      const fields = [...key.matchAll(/(\w+): (1|"hashed")/g)];
      return [
        name,
        Object.fromEntries(fields.map(([, field, kind]) => [field, kind === '1' ? 1 : 'hashed'])),
      ];
    }),
  );
};

/**
 * Shards the collections of a new database on a sharded cluster, according to the table in `docs/operation/install.md`.
 * The unhashed collections are moved to the shards in turn, so that they are spread over the shards. On a database that
 * is not sharded, this does nothing.
 */
export const shardIfCluster = async (database: Db): Promise<void> => {
  const admin = database.admin();
  if ((await admin.command({ hello: 1 })).msg !== 'isdbgrid') return;
  const { shards } = await admin.command({ listShards: 1 });
  const sharded = [...shardKeys()].filter(([, key]) => Object.keys(key).length > 0);
  for (const [index, [name, key]] of sharded.entries()) {
    const namespace = `${database.databaseName}.${name}`;
    await admin.command({ shardCollection: namespace, key });
    // Hashed collections are distributed automatically.
    if (Object.values(key).includes('hashed')) continue;
    const min = Object.fromEntries(Object.keys(key).map((field) => [field, new MinKey()]));
    await admin.command({ moveRange: namespace, min, toShard: shards[index % shards.length]._id });
  }
};
