import { randomBytes } from 'node:crypto';
import { newId, type Scope, scopes } from '@chairside/domain';
import {
  type CommandListener,
  type OrganizationStore,
  openStore,
  type Passwords,
  type Store,
  withDatabase,
} from '@chairside/mongodb';
import { type Db, MongoClient } from 'mongodb';
import { inject } from 'vitest';
import { shardIfCluster } from './shards.ts';

export { shardKeys } from './shards.ts';

declare module 'vitest' {
  interface ProvidedContext {
    mongodbUrl: string;
    redisUrl: string;
  }
}

/** The addresses of the engines that run for the whole test run. */
export const testEngines = (): { mongodbUrl: string; redisUrl: string } => ({
  mongodbUrl: inject('mongodbUrl'),
  redisUrl: inject('redisUrl'),
});

/** A store in a database of its own, gone when it is closed. */
export type TestStore = {
  store: Store;
  url: string;
  encryptionKeys: string;
  /** For what no repository offers: planting, counting, explaining. */
  database: Db;
  /** A prefix of its own for everything in Redis. */
  redisPrefix: string;
  close(): Promise<void>;
};

/**
 * @param mongodbUrl of the server, when it is not that of the test run; the database is made up
 * @param onCommand told of every command that the store sends
 * @param passwords how passwords are hashed, if not as in production
 */
export const openTestStore = async (
  mongodbUrl: string = testEngines().mongodbUrl,
  onCommand?: CommandListener,
  passwords?: Passwords,
): Promise<TestStore> => {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const url = withDatabase(mongodbUrl, name);
  const client = new MongoClient(url);
  const database = client.db();
  await shardIfCluster(database);
  const encryptionKeys = `test:${randomBytes(32).toString('base64')}`;
  const store = openStore({
    url,
    encryptionKeys,
    appName: 'chairside-test',
    ...(onCommand && { onCommand }),
    passwords,
  });
  await store.prepare();
  return {
    store,
    url,
    encryptionKeys,
    database,
    redisPrefix: `{${name}}`,
    async close() {
      await database.dropDatabase();
      await client.close();
      await store.close();
    },
  };
};

export { type DatabaseProxy, type Fault, startDatabaseProxy } from './database-proxy.ts';
export type TestOperator = { _id: string; email: string; password: string; token: string };

/** A practice with two clinics, keys and operators. */
export type Practice = {
  organizationId: string;
  store: OrganizationStore;
  clinicIds: readonly [string, string];
  apiKey: string;
  readOnlyApiKey: string;
  administrator: TestOperator;
  staff: TestOperator;
};

/** The value of the Authorization header for an API key, as the service description has it. */
export const basic = (secret: string): string => `Basic ${Buffer.from(secret).toString('base64')}`;

export const createPractice = async ({ everyOrganization, organization }: Store): Promise<Practice> => {
  const now = new Date();
  const organizationId = newId(now);
  await everyOrganization.organizations.create({ _id: organizationId, name: 'Test practice' });
  const store = organization(organizationId);

  const createClinic = async (name: string): Promise<string> => {
    const _id = newId(now);
    await store.clinics.create({
      _id,
      name,
      currency: 'EUR',
      timezone: 'UTC',
      lastEditTime: now.toISOString(),
    });
    return _id;
  };
  const createKey = async (granted: readonly Scope[]) =>
    (await store.apiKeys.create({ name: 'test', scopes: [...granted], rateLimit: 100_000 }, now)).secret;
  const createOperator = async (role: 'administrator' | 'staff'): Promise<TestOperator> => {
    const email = `${role}.${organizationId}@example.com`;
    const password = randomBytes(12).toString('base64url');
    const made = await store.operators.create({ email, password, role }, now);
    if (made === 'emailTaken') throw new Error('a new address is taken');
    const result = await everyOrganization.sessions.signIn(email, password, now);
    if (result.outcome !== 'signed_in') throw new Error('a new operator cannot sign in');
    return { _id: made._id, email, password, token: result.session.token };
  };

  return {
    organizationId,
    store,
    clinicIds: [await createClinic('North'), await createClinic('South')],
    apiKey: await createKey(scopes),
    readOnlyApiKey: await createKey(scopes.filter((scope) => scope.endsWith(':read'))),
    administrator: await createOperator('administrator'),
    staff: await createOperator('staff'),
  };
};
