import { randomBytes } from 'node:crypto';
import { type CommandListener, openPasswords, type Passwords, withDatabase } from '@chairside/mongodb';
import { openWholeStore, type WholeStore } from '@chairside/mongodb/whole';
import { type Collection, type Db, type Document, MongoClient } from 'mongodb';
import { inject } from 'vitest';
import { shardIfCluster } from './shards.ts';

declare module 'vitest' {
  interface ProvidedContext {
    mongodbUrl?: string;
    redisUrl?: string;
  }
}

/**
 * The addresses of the engines that all tests of the test run share.
 *
 * @throws {Error} in the project `unit`, which has no engines
 */
export const testEngines = (): { mongodbUrl: string; redisUrl: string } => {
  const [mongodbUrl, redisUrl] = [inject('mongodbUrl'), inject('redisUrl')];
  if (mongodbUrl === undefined || redisUrl === undefined) {
    throw new Error(
      'The test project `unit` runs without MongoDB and Redis. Name a test file that needs them `*.service.test.ts` or `*.long.test.ts`.',
    );
  }
  return { mongodbUrl, redisUrl };
};

/** A database whose collections have strings as ids, like the service's collections. */
export type TestDatabase = Omit<Db, 'collection'> & {
  collection<Stored extends Document = Document & { _id: string }>(name: string): Collection<Stored>;
};

/** A new database. `close` deletes it. */
export type EmptyDatabase = {
  url: string;
  /** The encryption keys of a service on this database. */
  encryptionKeys: string;
  /** For operations that no repository has: inserting documents directly, counting them, and `explain`. */
  database: TestDatabase;
  close(): Promise<void>;
};

/** A store with a separate database. */
export type TestStore = EmptyDatabase & {
  store: WholeStore;
  /** The prefix of all keys of this store in Redis. */
  redisPrefix: string;
};

/**
 * Hashes passwords as in production, but each only once in a process: to hash a password again, or to compare it again with
 * the same hash, takes no time.
 */
const rememberedPasswords = (): Passwords => {
  const passwords = openPasswords();
  const hashes = new Map<string, string>();
  const comparisons = new Map<string, boolean>();
  return {
    async hash(password, caller) {
      const hash = hashes.get(password) ?? (await passwords.hash(password, caller));
      hashes.set(password, hash);
      return hash;
    },
    async matches(password, stored, caller) {
      const pair = JSON.stringify([password, stored]);
      const isMatch = comparisons.get(pair) ?? (await passwords.matches(password, stored, caller));
      comparisons.set(pair, isMatch);
      return isMatch;
    },
    waiting: passwords.waiting,
  };
};
/** Of all stores of a test worker. */
const remembered = rememberedPasswords();

/**
 * Opens a database under a new, random name: for a vault, and for a service that prepares it itself. A database that was
 * dropped is not one: FerretDB may still remember its collections.
 *
 * @param mongodbUrl the URL of a server other than that of the test run
 */
export const openEmptyDatabase = (mongodbUrl: string = testEngines().mongodbUrl): EmptyDatabase => {
  const url = withDatabase(mongodbUrl, `test_${randomBytes(6).toString('hex')}`);
  const client = new MongoClient(url);
  const database = client.db();
  return {
    url,
    encryptionKeys: `test:${randomBytes(32).toString('base64')}`,
    database,
    async close() {
      await database.dropDatabase();
      await client.close();
    },
  };
};

/**
 * Opens a store with a new database, whose name is random.
 *
 * @param mongodbUrl the URL of a server other than that of the test run
 * @param onCommand called with every command that the store sends
 * @param passwords replaces the password hashing of production, which remembers each result
 * @param vaultUrl a second database for the data keys
 */
export const openTestStore = async (
  mongodbUrl?: string,
  onCommand?: CommandListener,
  passwords: Passwords = remembered,
  vaultUrl?: string,
): Promise<TestStore> => {
  const empty = openEmptyDatabase(mongodbUrl);
  const { url, encryptionKeys, database } = empty;
  await shardIfCluster(database);
  const store = openWholeStore({
    url,
    vaultUrl,
    encryptionKeys,
    appName: 'chairside-test',
    ...(onCommand && { onCommand }),
    passwords,
  });
  await store.prepare();
  return {
    ...empty,
    store,
    redisPrefix: `{${database.databaseName}}`,
    async close() {
      await empty.close();
      await store.close();
    },
  };
};

/** Stores passwords as plain text, for tests that do not concern passwords. */
export const quickPasswords: Passwords = {
  hash: async (password) => `plain:${password}`,
  matches: async (password, stored) => stored === `plain:${password}`,
  waiting: () => 0,
};
