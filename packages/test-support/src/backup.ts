import type { TestDatabase } from './test-store.ts';

type Stored = { _id: string };

/**
 * Takes what all collections have, while nothing writes, as a backup at one point in time has it.
 *
 * @returns a function that restores it
 */
export const takeBackup = async (database: TestDatabase): Promise<() => Promise<void>> => {
  const collections = (await database.listCollections().toArray()).filter(({ type }) => type !== 'view');
  const documents = new Map<string, Stored[]>();
  for (const { name } of collections)
    documents.set(name, await database.collection<Stored>(name).find().toArray());
  return async () => {
    for (const [name, stored] of documents) {
      await database.collection(name).deleteMany({});
      if (stored.length > 0) await database.collection<Stored>(name).insertMany(stored);
    }
  };
};
