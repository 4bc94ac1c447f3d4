import { newId } from '@chairside/domain';
import { type Collection, type Document, type Filter, MongoServerError } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createPractice,
  openTestStore,
  type Practice,
  quickPasswords,
  type TestStore,
} from '../../test-support/src/index.ts';
import type { OperatorDocument } from '../src/access/operator-document.ts';
import { changeOperator } from '../src/access/operator-writes.ts';
import type { ProgramTokenDocument } from '../src/access/program-tokens.ts';
import { openSessions, type SessionDocument } from '../src/access/sessions.ts';
import { insertIntoFreeSlot, type Slotted } from '../src/driver/slots.ts';
import type { OrganizationStore } from '../src/index.ts';
import type { EndingDocument } from '../src/restores/endings.ts';
import { type OAuthStore, openOAuthStore } from '../src/stores/oauth-store.ts';
import type { WholeStore } from '../src/stores/whole-store.ts';
import { openWholeStore } from '../src/stores/whole-store.ts';

let testStore: TestStore;
/** Two stores, like those of two processes. */
let stores: readonly WholeStore[];
beforeAll(async () => {
  testStore = await openTestStore(undefined, undefined, quickPasswords);
  const { url, encryptionKeys, store } = testStore;
  stores = [store, openWholeStore({ url, encryptionKeys, appName: 'other', passwords: quickPasswords })];
});
afterAll(async () => {
  await stores[1]?.close();
  await testStore.close();
});

const now = new Date();
const after = (milliseconds: number): Date => new Date(now.getTime() + milliseconds);
const HOUR = 3_600_000;

/** Inserts documents without a slot. */
const plant = async (collection: string, organizationId: string, count: number, fields: object = {}) => {
  const documents = Array.from({ length: count }, () => {
    const _id = newId();
    const unique = { secretHash: _id, emailLowerCase: `${_id}@example.com` };
    return { _id, organizationId, ...unique, createdTime: now, lastEditTime: now, ...fields };
  });
  await testStore.database.collection(collection).insertMany(documents);
  return documents;
};
const count = (collection: string, organizationId: string): Promise<number> =>
  testStore.database.collection(collection).countDocuments({ organizationId });

/** Calls a function `times` times at once, in turns for the organization in each store. */
const atOnce = <T>(
  times: number,
  organizationId: string,
  create: (store: OrganizationStore) => Promise<T>,
): Promise<T[]> =>
  Promise.all(
    Array.from({ length: times }, (_, index) =>
      create((stores[index % stores.length] as WholeStore).organization(organizationId)),
    ),
  );

/** The collection, with one method replaced. */
const withMethod = <D extends Document>(
  collection: Collection<D>,
  replaced: 'insertOne' | 'updateOne' | 'deleteOne' | 'deleteMany',
  method: (...given: never[]) => Promise<unknown>,
): Collection<D> =>
  new Proxy(collection, {
    get: (target, name) => (name === replaced ? method : Reflect.get(target, name).bind?.(target)),
  });

test('an insert that the driver repeats because its response was lost is made once', async () => {
  const collection = testStore.database.collection<Slotted>('apiKeys');
  const repeating = withMethod(collection, 'insertOne', async (document: Slotted) => {
    await collection.insertOne(document);
    return collection.insertOne(document);
  });
  const document = { _id: newId(), organizationId: newId(), secretHash: newId() };
  const { organizationId } = document;
  const scope = { scope: { organizationId }, maximum: 10 };
  expect(await insertIntoFreeSlot(repeating, document, scope)).toBe(true);
  expect(await count('apiKeys', organizationId)).toBe(1);
});

test('an insert that the database aborts because of a deadlock is repeated', async () => {
  const collection = testStore.database.collection<Slotted>('apiKeys');
  let inserts = 0;
  const aborting = withMethod(collection, 'insertOne', async (document: Slotted) => {
    if (++inserts === 1) throw new MongoServerError({ message: 'deadlock detected' });
    return collection.insertOne(document);
  });
  const document = { _id: newId(), organizationId: newId(), secretHash: newId() };
  const { organizationId } = document;
  expect(await insertIntoFreeSlot(aborting, document, { scope: { organizationId }, maximum: 10 })).toBe(true);
  expect(await count('apiKeys', organizationId)).toBe(1);
});

test('a refused insert reads no document, and one into a half-full scope reads a few', async () => {
  const collection = testStore.database.collection<Slotted>('apiKeys');
  const organizationId = newId();
  const reads: Filter<Slotted>[] = [];
  const watched = new Proxy(collection, {
    get: (target, name) =>
      name === 'find'
        ? (filter: Filter<Slotted>, options: object) => {
            reads.push(filter);
            return target.find(filter, options);
          }
        : Reflect.get(target, name).bind?.(target),
  });
  const made = () => ({ _id: newId(), organizationId, secretHash: newId() });
  await collection.insertMany(Array.from({ length: 500 }, (_, slot) => ({ ...made(), slot })));
  const insert = (maximum: number) =>
    insertIntoFreeSlot(watched, made(), { scope: { organizationId }, maximum });
  expect(await insert(500)).toBe(false);
  expect(reads).toEqual([]);
  expect(await insert(1000)).toBe(true);
  expect(reads.map(({ slot }) => (slot as { $in: number[] }).$in.length)).toEqual([32]);
  // The last place is found, too.
  expect(await insert(502)).toBe(true);
  expect(await insert(502)).toBe(false);
});

const createKey = ({ apiKeys }: OrganizationStore) =>
  apiKeys.create({ name: 'x', scopes: [], rateLimit: 1 }, now);
const createOperator = ({ operators }: OrganizationStore, email = `${newId()}@example.com`) =>
  operators.create({ email, password: 'x', role: 'staff' }, now);

describe('API keys', () => {
  test('thirty concurrent creations in two processes create only as many keys as fit, beside keys without a slot', async () => {
    const organizationId = newId();
    await plant('apiKeys', organizationId, 60);
    expect(await atOnce(30, organizationId, createKey)).not.toContain(undefined);
    const made = await atOnce(30, organizationId, createKey);
    expect(made.filter((key) => key !== undefined)).toHaveLength(10);
    expect(await count('apiKeys', organizationId)).toBe(100);
    expect(
      JSON.stringify([made, await testStore.store.organization(organizationId).apiKeys.list()]),
    ).not.toContain('"slot"');
  });

  test('a deletion makes room for one key, with or without a slot', async () => {
    const organizationId = newId();
    const store = testStore.store.organization(organizationId);
    const [planted] = await plant('apiKeys', organizationId, 99);
    const made = await createKey(store);
    expect(await createKey(store)).toBeUndefined();
    for (const _id of [made?._id, planted?._id]) {
      await store.apiKeys.delete(_id ?? '');
      expect(await createKey(store)).toBeDefined();
      expect(await createKey(store)).toBeUndefined();
    }
  });

  test('an organization with more keys keeps them, and can create one only when it has fewer than 100', async () => {
    const organizationId = newId();
    const store = testStore.store.organization(organizationId);
    const planted = await plant('apiKeys', organizationId, 101);
    expect(await createKey(store)).toBeUndefined();
    expect(await store.apiKeys.list()).toHaveLength(101);
    await store.apiKeys.delete(planted[0]?._id ?? '');
    expect(await createKey(store)).toBeUndefined();
    await store.apiKeys.delete(planted[1]?._id ?? '');
    expect(await createKey(store)).toBeDefined();
  });

  test('another organization is not affected', async () => {
    await plant('apiKeys', 'full', 100);
    expect(await createKey(testStore.store.organization('full'))).toBeUndefined();
    expect(await createKey(testStore.store.organization('empty'))).toBeDefined();
  });
});

describe('operators', () => {
  test('thirty concurrent creations in two processes create only as many operators as fit', async () => {
    const organizationId = newId();
    await plant('operators', organizationId, 190);
    const made = await atOnce(30, organizationId, (store) => createOperator(store));
    expect(made.filter((operator) => operator === 'limitReached')).toHaveLength(20);
    expect(await count('operators', organizationId)).toBe(200);
    expect(JSON.stringify(made)).not.toContain('"slot"');
  });

  test('of concurrent creations with one e-mail address, one succeeds and the others report that it is taken', async () => {
    const email = `${newId()}@example.com`;
    const made = await atOnce(10, newId(), (store) => createOperator(store, email));
    expect(made.filter((operator) => operator === 'emailTaken')).toHaveLength(9);
  });

  test('a changed operator keeps the slot', async () => {
    const organizationId = newId();
    const { operators } = testStore.store.organization(organizationId);
    await plant('operators', organizationId, 199);
    const made = await createOperator(testStore.store.organization(organizationId));
    if (typeof made === 'string') throw new Error(made);
    await operators.update(made._id, { role: 'administrator', active: false }, now);
    const stored = await testStore.database.collection('operators').findOne({ _id: made._id });
    expect(stored).toMatchObject({ role: 'administrator', slot: 0 });
  });

  test('a deletion that would leave no administrator is reverted, even if the slot was taken meanwhile', async () => {
    const organizationId = newId();
    const store = testStore.store.organization(organizationId);
    await plant('operators', organizationId, 198);
    const administrators = await atOnce(2, organizationId, ({ operators }) =>
      operators.create({ email: `${newId()}@example.com`, password: 'x', role: 'administrator' }, now),
    );
    const [first = '', second = ''] = administrators.map((made) =>
      typeof made === 'string' ? '' : made._id,
    );
    const operators = testStore.database.collection<OperatorDocument>('operators');
    // Other callers act between the deletion of the first administrator and the check that follows it.
    const withOthers = withMethod(operators, 'deleteOne', async (filter: Filter<OperatorDocument>) => {
      const result = await operators.deleteOne(filter);
      await createOperator(store);
      await operators.updateOne({ _id: second }, { $set: { role: 'staff' } });
      return result;
    });
    const sessions = testStore.database.collection<SessionDocument>('sessions');
    const programTokens = testStore.database.collection<ProgramTokenDocument>('programTokens');
    const endings = testStore.database.collection<EndingDocument>('endings');
    const result = await changeOperator(
      { operators: withOthers, sessions, programTokens, endings, organizationId },
      first,
      'delete',
    );
    expect(result).toEqual({ outcome: 'lastAdministrator' });
    expect(await store.operators.find(first)).toMatchObject({ role: 'administrator', active: true });
    // The restored operator has no slot and counts.
    expect(await count('operators', organizationId)).toBe(201);
    await store.operators.remove(second);
    expect(await createOperator(store)).toBe('limitReached');
  });

  test('a change keeps the network of a sign-in at the same moment', async () => {
    const { organizationId, staff } = await createPractice(testStore.store);
    const operators = testStore.database.collection<OperatorDocument>('operators');
    const update = async (...given: Parameters<typeof operators.updateOne>) => {
      await operators.updateOne({ _id: staff._id }, { $push: { networks: '192.0.2.0' } });
      return operators.updateOne(...given);
    };
    const collections = {
      operators: withMethod(operators, 'updateOne', update),
      sessions: testStore.database.collection<SessionDocument>('sessions'),
      programTokens: testStore.database.collection<ProgramTokenDocument>('programTokens'),
      endings: testStore.database.collection<EndingDocument>('endings'),
      organizationId,
    };
    await changeOperator(collections, staff._id, { time: now, active: false });
    const networks = expect.arrayContaining(['192.0.2.0']);
    const disabled = { networks, accessRevision: 1, disabledTime: now };
    expect(await operators.findOne({ _id: staff._id })).toMatchObject(disabled);
    await changeOperator({ ...collections, operators }, staff._id, { time: now, active: true });
    const enabled = await operators.findOne({ _id: staff._id });
    expect(enabled).toMatchObject({ networks, accessRevision: 2 });
    expect(enabled).not.toHaveProperty('disabledTime');
  });
});

describe('sessions', () => {
  let practice: Practice;
  beforeAll(async () => {
    practice = await createPractice(testStore.store);
  });

  const signIn = async (store: WholeStore, time: Date) => {
    const { email, password } = practice.administrator;
    const result = await store.everyOrganization.sessions.signIn(email, password, time);
    if (result.outcome !== 'signed_in') throw new Error(result.outcome);
    return result;
  };
  const works = async (token: string, time: Date): Promise<boolean> =>
    (await testStore.store.everyOrganization.sessions.findOperator(token, time)) !== undefined;
  const open = (): Promise<number> =>
    testStore.database.collection('sessions').countDocuments({ operatorId: practice.administrator._id });

  test('forty concurrent sign-ins in two processes leave exactly 20 sessions, and each next sign-in works', async () => {
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => signIn(stores[index % 2] as WholeStore, after(index % 3))),
    );
    expect(await open()).toBe(20);
    for (const store of stores) {
      const { session, endedSessions } = await signIn(store, after(10));
      expect(endedSessions).toHaveLength(1);
      expect(await works(session.token, after(11))).toBe(true);
      expect(await open()).toBe(20);
    }
    expect(
      await testStore.database.collection('sessions').countDocuments({ operatorId: practice.staff._id }),
    ).toBe(1);
  });

  test('ends the session that was used least recently, not the oldest', async () => {
    await practice.store.operators.endSessions(practice.administrator._id, now);
    const signedIn = [];
    for (let index = 0; index < 20; index++)
      signedIn.push((await signIn(testStore.store, after(index * 1000))).session);
    const [oldest, second] = signedIn;
    expect(await works(oldest?.token ?? '', after(120_000))).toBe(true);
    const { session, endedSessions } = await signIn(testStore.store, after(121_000));
    expect(endedSessions).toEqual([second?._id]);
    expect(await works(oldest?.token ?? '', after(122_000))).toBe(true);
    expect(await works(second?.token ?? '', after(122_000))).toBe(false);
    expect(await works(session.token, after(122_000))).toBe(true);
  });

  test('a session that is used during a sign-in stays, and the next one ends instead', async () => {
    const sessions = testStore.database.collection<SessionDocument>('sessions');
    const operators = testStore.database.collection<OperatorDocument>('operators');
    const operatorId = practice.administrator._id;
    const [first, second] = await sessions.find({ operatorId }, { sort: { usedTime: 1 } }).toArray();
    const withUse = withMethod(sessions, 'deleteMany', async (filter: Filter<SessionDocument>) => {
      await sessions.updateOne({ _id: first?._id ?? '' }, { $max: { usedTime: after(300_000) } });
      return sessions.deleteMany(filter);
    });
    const { email, password } = practice.administrator;
    const { challenges, stops } = testStore.store.everyOrganization;
    const result = await openSessions({
      sessions: withUse,
      operators,
      passwords: quickPasswords,
      challenges,
      stops,
      factorRequirements: { of: () => ({ get: async () => 'off', set: async () => {} }) },
    }).signIn(email, password, after(290_000));
    expect(result).toMatchObject({ endedSessions: [second?._id] });
    expect(await sessions.findOne({ _id: first?._id ?? '' })).not.toBeNull();
    expect(await open()).toBe(20);
  });

  test('a new session stays, even if the clock of its process is behind', async () => {
    const { session, endedSessions } = await signIn(testStore.store, after(-5000));
    expect(endedSessions).toHaveLength(1);
    expect(await works(session.token, after(0))).toBe(true);
    expect(await open()).toBe(20);
  });

  test('an expired session does not count', async () => {
    const operatorId = practice.administrator._id;
    const sessions = testStore.database.collection<SessionDocument>('sessions');
    const expired = await sessions.findOneAndUpdate({ operatorId }, { $set: { expireAt: after(-1) } });
    const { endedSessions } = await signIn(testStore.store, after(200_000));
    expect(endedSessions).toEqual([]);
    expect(await sessions.findOne({ _id: expired?._id ?? '' })).not.toBeNull();
  });
});

describe('connected apps', () => {
  let oauthStores: readonly OAuthStore[];
  beforeAll(() => {
    const options = {
      url: testStore.url,
      appName: 'test',
      keys: `a:${Buffer.alloc(32).toString('base64')}`,
      auditRetentionDays: 1,
    };
    oauthStores = [openOAuthStore(options), openOAuthStore(options)];
  });
  afterAll(async () => {
    await Promise.all(oauthStores.map((store) => store.close()));
  });

  const connect = (index: number, organizationId: string): Promise<boolean> =>
    (oauthStores[index % 2] as OAuthStore).grants.create(
      {
        _id: newId(),
        organizationId,
        operatorId: 'o',
        accessRevision: 0,
        clientId: 'c',
        clientName: 'App',
        redirectHost: 'app.example',
        createdTime: now,
        expireAt: after(HOUR),
      },
      now,
    );
  const connectAtOnce = (times: number, organizationId: string): Promise<boolean[]> =>
    Promise.all(Array.from({ length: times }, (_, index) => connect(index, organizationId)));

  test('thirty concurrent grants in two processes create only as many connections as fit', async () => {
    const organizationId = newId();
    await plant('connections', organizationId, 60, { expireAt: after(HOUR) });
    expect(await connectAtOnce(30, organizationId)).not.toContain(false);
    const made = await connectAtOnce(30, organizationId);
    expect(made.filter((isMade) => isMade)).toHaveLength(10);
    expect(await count('connections', organizationId)).toBe(100);
    const { connections } = testStore.store.organization(organizationId);
    const listed = await Array.fromAsync(connections.page(now, { limit: 1000 }));
    expect(JSON.stringify(listed)).not.toContain('"slot"');
    await connections.delete(listed.at(-1)?._id ?? '', now);
    expect(await connectAtOnce(2, organizationId)).toHaveLength(2);
    expect(await count('connections', organizationId)).toBe(100);
  });

  test('an expired grant that is still stored occupies no slot', async () => {
    const organizationId = newId();
    const other = newId();
    const connections = testStore.database.collection('connections');
    // The database itself must not delete an expired grant during this test.
    await connections.dropIndex('expiry');
    await plant('connections', other, 1, { expireAt: now });
    await plant('connections', organizationId, 50, { expireAt: after(HOUR) });
    expect(await connectAtOnce(50, organizationId)).not.toContain(false);
    expect(await connect(0, organizationId)).toBe(false);
    const [old] = await connections.find({ organizationId, slot: { $exists: true } }).toArray();
    await connections.updateOne({ _id: old?._id ?? '' }, { $set: { expireAt: now } });
    expect(await connect(0, organizationId)).toBe(true);
    expect(await connect(1, organizationId)).toBe(false);
    expect(await count('connections', other)).toBe(1);
  });
});
