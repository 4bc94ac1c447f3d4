import { type NoticeContent, newId, SLOWED_FROM_FAILURES } from '@chairside/domain';
import type { Document } from 'mongodb';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  ageFacts,
  ageNotices,
  createKey,
  createPractice,
  openedDocuments,
  openTestStore,
  quickPasswords,
  type TestStore,
} from '../../test-support/src/index.ts';
import type { Collection } from '../src/driver/database.ts';
import { Database } from '../src/driver/database.ts';
import type { MailDocument } from '../src/mails/mail-document.ts';
import { openNotices } from '../src/notices/notices.ts';
import { type Collections, collectionsOf } from '../src/stores/collections.ts';

let testStore: TestStore;
beforeAll(async () => {
  testStore = await openTestStore(undefined, undefined, quickPasswords);
});
afterAll(() => testStore.close());

const SECOND = 1000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const PAUSES = { firstMs: 1000, longestMs: 60_000 };

type Mail = NoticeContent & Pick<MailDocument, '_id' | 'operatorId' | 'told' | 'isUnmarked' | 'createdTime'>;

/** A practice with a subscription, and functions that make facts of it and tell them. */
const openPractice = async () => {
  const { store, database } = testStore;
  const practice = await createPractice(store);
  const { organizationId } = practice;
  const { notices, receivers } = store.everyOrganization;
  const subscribe = async (url = 'https://receiver.example.com/path?query=1') => {
    const clinicId = newId();
    const named = { name: 'East', currency: 'EUR', timezone: 'UTC', lastEditTime: new Date().toISOString() };
    await practice.store.clinics.create({ _id: clinicId, ...named });
    const sent = { clinicId, url, events: [], active: true };
    const made = await practice.store.subscriptions.create(sent, new Date());
    if (made === undefined) throw new Error('the new clinic has too many subscriptions');
    return made._id;
  };
  const fail = (subscriptionId: string, failures: number, activation = 1) =>
    receivers.addFailures(
      {
        ...{ subscriptionId, activation, failures, succeeded: false },
        ...{ lastCauses: ['timeout'], permits: [] },
      },
      new Date(),
      PAUSES,
    );
  const addAdministrator = async () => {
    const email = `${newId()}@example.com`;
    const operator = { email, password: 'a password', role: 'administrator' as const };
    const made = await practice.store.operators.create(operator, new Date());
    if (typeof made === 'string') throw new Error(made);
    return made;
  };
  /** The mails in the order in which they were made. */
  const mails = async (): Promise<Mail[]> => {
    const found: unknown[] = await openedDocuments(testStore, 'mails', { organizationId, kind: 'notice' });
    return (found as Mail[]).sort((one, other) => one._id.localeCompare(other._id));
  };
  return {
    ...practice,
    notices,
    database,
    subscribe,
    fail,
    addAdministrator,
    tell: () => notices.tell(organizationId),
    isDue: async () => (await notices.due([])).includes(organizationId),
    mails,
    /** What was told to whom, as `kind to`. */
    toldTo: async () =>
      (await mails()).flatMap(({ to, rows }) => rows.map(({ kind }) => `${kind} ${to}`)).sort(),
    stored: (id: string) =>
      database.collection<Document & { _id: string }>('subscriptions').findOne({ _id: id }),
  };
};

test('a subscription that failures have disabled is told once to each administrator, when nothing has followed for ten seconds', async () => {
  const { addAdministrator, tell, isDue, mails, toldTo, subscribe, fail, stored, database, ...practice } =
    await openPractice();
  const other = await addAdministrator();
  const id = await subscribe();
  await fail(id, 20);
  expect(await isDue()).toBe(true);
  expect(await tell()).toEqual({});
  expect(await mails()).toEqual([]);
  await ageFacts(database, 10 * SECOND);
  expect(await tell()).toEqual({ subscriptionDisabled: 1 });
  expect(await toldTo()).toEqual(
    [practice.administrator, other].map(({ email }) => `subscriptionDisabled ${email}`).sort(),
  );
  const [mail] = await mails();
  expect(mail?.rows).toEqual([
    {
      ...{ kind: 'subscriptionDisabled', host: 'receiver.example.com', clinic: 'East' },
      ...{ causes: ['timeout'], isActive: false, time: expect.any(String), path: `/webhooks/${id}` },
    },
  ]);
  expect(await tell()).toEqual({});
  expect(await isDue()).toBe(false);
  expect(await mails()).toHaveLength(2);
  expect(await stored(id)).toMatchObject({ toldTrouble: { disabled: expect.any(Date) } });
  expect(await stored(id)).not.toHaveProperty('untoldDisabling');
});

test('of many processes that tell the same at once, one does', async () => {
  const { addAdministrator, tell, mails, subscribe, fail, database } = await openPractice();
  for (let count = 0; count < 4; count++) await addAdministrator();
  for (let count = 0; count < 3; count++) await fail(await subscribe(), 20);
  await ageFacts(database, 60 * SECOND);
  for (let round = 0; round < 3; round++) await Promise.all(Array.from({ length: 6 }, tell));
  const made = await mails();
  expect(made).toHaveLength(5);
  for (const { rows, isUnmarked } of made) {
    expect(rows).toHaveLength(3);
    expect(isUnmarked).toBeUndefined();
  }
});

/** A process whose store does something before or instead of a statement. */
const processWith = (
  changes: (collections: Collections) => { [C in keyof Collections]?: Partial<Collections[C]> },
) => {
  const database = new Database(testStore.database as never);
  const collections = collectionsOf(database);
  const changed = Object.fromEntries(
    Object.entries(changes(collections)).map(([name, methods]) => {
      const original = collections[name as keyof Collections];
      const get = (target: object, key: string) => {
        const method = (methods as Record<string, unknown>)[key];
        if (method !== undefined) return method;
        const found = Reflect.get(target, key);
        return typeof found === 'function' ? found.bind(target) : found;
      };
      return [name, new Proxy(original, { get } as ProxyHandler<typeof original>)];
    }),
  );
  const whole = { ...collections, ...changed } as Collections;
  return openNotices({ database, collections: whole, ciphers: testStore.store.ciphers });
};
const died = () => Promise.reject(new Error('killed'));

test.each([
  ['before the first mail', 0],
  ['between the mails', 2],
])('a process that dies %s leaves nobody untold, and nobody is told twice', async (_when, inserted) => {
  const { organizationId, addAdministrator, tell, mails, subscribe, fail, database } = await openPractice();
  for (let count = 0; count < 3; count++) await addAdministrator();
  await fail(await subscribe(), 20);
  await ageFacts(database, 60 * SECOND);
  let inserts = 0;
  const dying = processWith(({ mails: collection }) => ({
    mails: { insertOne: (...given) => (inserts++ < inserted ? collection.insertOne(...given) : died()) },
  }));
  await expect(dying.tell(organizationId)).rejects.toThrow('killed');
  expect(await mails()).toHaveLength(inserted);
  // Another fact has happened since. It does not keep the first one from being told.
  await fail(await subscribe(), 20);
  await tell();
  const first = (await mails()).map(({ rows }) => rows.length);
  expect(first).toHaveLength(4);
  await ageFacts(database, 60 * SECOND);
  await tell();
  const told = (await mails()).flatMap(({ operatorId, told: facts = [] }) =>
    facts.map(({ subject }) => `${operatorId} ${subject}`),
  );
  expect(told).toHaveLength(8);
  expect(new Set(told).size).toBe(8);
});

test('a process that dies before it marks the facts tells nobody twice, however late the next one comes', async () => {
  const { organizationId, tell, isDue, mails, subscribe, fail, database } = await openPractice();
  const id = await subscribe();
  await fail(id, 20);
  await ageFacts(database, 60 * SECOND);
  const dying = processWith(() => ({ subscriptions: { bulkWrite: died } }));
  await expect(dying.tell(organizationId)).rejects.toThrow('killed');
  expect(await mails()).toMatchObject([{ isUnmarked: true }]);
  await ageNotices(database, 5 * HOUR);
  expect(await isDue()).toBe(true);
  expect(await tell()).toEqual({});
  expect(await isDue()).toBe(false);
  expect(await mails()).toHaveLength(1);
  expect((await mails())[0]).not.toHaveProperty('isUnmarked');
});

test('a process that stood still while another one told the same tells nothing', async () => {
  const { organizationId, tell, isDue, mails, subscribe, fail, database } = await openPractice();
  await fail(await subscribe(), 20);
  await ageFacts(database, 60 * SECOND);
  let isLate = false;
  const slow = processWith(({ mails: collection }) => ({
    mails: {
      async insertOne(...given: Parameters<Collection<MailDocument>['insertOne']>) {
        if (!isLate) await tell();
        isLate = true;
        return collection.insertOne(...given);
      },
    },
  }));
  expect(await slow.tell(organizationId)).toEqual({});
  expect(isLate).toBe(true);
  expect(await mails()).toHaveLength(1);
  expect(await isDue()).toBe(false);
});

test('a process that stood still before it read the mails finds what another one has told', async () => {
  const { organizationId, tell, mails, subscribe, fail, database } = await openPractice();
  await fail(await subscribe(), 20);
  await ageFacts(database, 60 * SECOND);
  let isLate = false;
  const slow = processWith(({ operators }) => ({
    operators: {
      // The facts are read before this.
      find: ((...given: Parameters<typeof operators.find>) => {
        const rows = operators.find(...given);
        const toArray = async () => {
          const read = await rows.toArray();
          if (!isLate && given[0] !== undefined && !('noticeAt' in given[0])) {
            isLate = true;
            await tell();
          }
          return read;
        };
        return { ...rows, toArray };
      }) as typeof operators.find,
    },
  }));
  await slow.tell(organizationId);
  expect(isLate).toBe(true);
  expect(await mails()).toHaveLength(1);
});

test('a fact that follows while another one is told is told, too', async () => {
  const { organizationId, tell, toldTo, addAdministrator, store, database } = await openPractice();
  const { _id, email } = await addAdministrator();
  await store.operators.update(_id, { name: 'Ada', role: 'staff' }, new Date());
  await ageFacts(database, 60 * SECOND);
  const slow = processWith(({ mails: collection }) => ({
    mails: {
      async insertOne(...given: Parameters<Collection<MailDocument>['insertOne']>) {
        await store.operators.update(_id, { password: 'another password' }, new Date());
        return collection.insertOne(...given);
      },
    },
  }));
  expect(await slow.tell(organizationId)).toEqual({ roleChanged: 1 });
  await ageFacts(database, 60 * SECOND);
  expect(await tell()).toEqual({ passwordChanged: 1 });
  expect(await toldTo()).toEqual([`passwordChanged ${email}`, `roleChanged ${email}`]);
});

test('what happens again while it is told is told, too, and nothing of it twice', async () => {
  const { organizationId, tell, mails, isDue, addAdministrator, store, database } = await openPractice();
  const { _id, email } = await addAdministrator();
  const { sessions } = testStore.store.everyOrganization;
  let networks = 0;
  const signIn = async () => {
    const network = `10.0.0.${++networks}`;
    const address = networks < 4 ? email : `second.${email}`;
    await sessions.signIn(address, 'a password', new Date(), { network, site: network });
  };
  const moveTo = (address: string) => store.operators.update(_id, { email: address }, new Date());
  for (let count = 0; count < 3; count++) await signIn();
  await moveTo(`first.${email}`);
  await ageFacts(database, 60 * SECOND);
  const slow = processWith(({ mails: collection }) => ({
    mails: {
      async insertOne(...given: Parameters<Collection<MailDocument>['insertOne']>) {
        if (networks === 3) {
          await moveTo(`second.${email}`);
          await signIn();
        }
        return collection.insertOne(...given);
      },
    },
  }));
  expect(await slow.tell(organizationId)).toEqual({ newNetwork: 1, emailChanged: 1 });
  expect(await isDue()).toBe(true);
  await ageNotices(database, HOUR);
  await ageFacts(database, HOUR);
  expect(await tell()).toEqual({ newNetwork: 1, emailChanged: 1 });
  const told = (await mails()).flatMap(({ to, rows }) =>
    rows.map((row) => `${row.kind === 'newNetwork' ? row.count : row.kind} ${to}`),
  );
  expect(told.toSorted()).toEqual(
    [
      `2 first.${email}`,
      `1 second.${email}`,
      `emailChanged ${email}`,
      `emailChanged first.${email}`,
    ].toSorted(),
  );
  expect(await isDue()).toBe(false);
});

test('a password that changes, and a subscription that is disabled, while the same is told, are told an hour later', async () => {
  const { organizationId, tell, addAdministrator, store, subscribe, fail, database } = await openPractice();
  const { _id } = await addAdministrator();
  const id = await subscribe();
  const happen = async (activation: number) => {
    await store.subscriptions.update(id, { active: true }, new Date());
    await store.operators.update(_id, { password: `password ${activation}` }, new Date());
    await fail(id, 20, activation);
  };
  await happen(1);
  await ageFacts(database, 60 * SECOND);
  let isAgain = false;
  const slow = processWith(({ mails: collection }) => ({
    mails: {
      async insertOne(...given: Parameters<Collection<MailDocument>['insertOne']>) {
        if (!isAgain) await happen(2);
        isAgain = true;
        return collection.insertOne(...given);
      },
    },
  }));
  const both = { passwordChanged: 1, subscriptionDisabled: 1 };
  expect(await slow.tell(organizationId)).toEqual(both);
  await ageFacts(database, 60 * SECOND);
  expect(await tell()).toEqual({});
  await ageNotices(database, HOUR);
  await ageFacts(database, HOUR);
  expect(await tell()).toEqual(both);
});

test('failures that begin while a disabling is told are told after 15 minutes', async () => {
  const { organizationId, store, tell, subscribe, fail, database } = await openPractice();
  const id = await subscribe();
  await fail(id, 20);
  await ageFacts(database, 60 * SECOND);
  const slow = processWith(({ mails: collection }) => ({
    mails: {
      async insertOne(...given: Parameters<Collection<MailDocument>['insertOne']>) {
        await store.subscriptions.update(id, { active: true }, new Date());
        await fail(id, 1, 2);
        return collection.insertOne(...given);
      },
    },
  }));
  expect(await slow.tell(organizationId)).toEqual({ subscriptionDisabled: 1 });
  await ageFacts(database, 16 * 60 * SECOND);
  expect(await tell()).toEqual({ subscriptionFailing: 1 });
});

test('what goes on without a pause is told all the same', async () => {
  const { organizationId, tell, addAdministrator, store, subscribe, fail, database } = await openPractice();
  const { _id } = await addAdministrator();
  const id = await subscribe();
  let told = 0;
  const { notices } = testStore.store.everyOrganization;
  // Every five seconds, for twenty seconds.
  for (let count = 0; count < 4; count++) {
    await store.operators.update(_id, { password: `password ${count}` }, new Date());
    await fail(id, 20, count + 1);
    await store.subscriptions.update(id, { active: true }, new Date());
    await ageFacts(database, 5 * SECOND);
    told += Object.keys(await notices.tell(organizationId)).length;
  }
  expect(told).toBe(2);
  expect(await tell()).toEqual({});
});

test('who has switched a notice off does not get it, and others do; a fact that nobody wants is told to nobody', async () => {
  const { addAdministrator, store, tell, isDue, toldTo, subscribe, fail, database } = await openPractice();
  const own = await addAdministrator();
  const all = await store.operators.list();
  const others = all.filter(({ role, _id }) => role === 'administrator' && _id !== own._id);
  await store.operators.changeNoticeSettings(own._id, { subscriptionDisabled: false });
  await fail(await subscribe(), 20);
  await ageFacts(database, 60 * SECOND);
  await tell();
  const expected = others.map(({ email }) => `subscriptionDisabled ${email}`);
  expect(await toldTo()).toEqual(expected);
  for (const { _id } of others)
    await store.operators.changeNoticeSettings(_id, { subscriptionDisabled: false });
  await fail(await subscribe(), 20);
  await ageFacts(database, 60 * SECOND);
  expect(await tell()).toEqual({});
  expect(await toldTo()).toEqual(expected);
  expect(await isDue()).toBe(false);
});

test('staff, invited and disabled operators get no notice of the practice', async () => {
  const { addAdministrator, store, tell, toldTo, subscribe, fail, database, ...practice } =
    await openPractice();
  const disabled = await addAdministrator();
  await store.operators.update(disabled._id, { active: false }, new Date());
  await store.operators.invite({ email: `${newId()}@example.com`, role: 'administrator' }, false, new Date());
  await fail(await subscribe(), 20);
  await ageFacts(database, 60 * SECOND);
  await tell();
  expect(await toldTo()).toEqual([`subscriptionDisabled ${practice.administrator.email}`]);
});

test('a subscription is told to fail after 15 minutes, and to work again after an event was accepted', async () => {
  const { tell, isDue, mails, subscribe, fail, stored, database } = await openPractice();
  const { receivers } = testStore.store.everyOrganization;
  const id = await subscribe();
  await fail(id, 1);
  await fail(id, 2);
  await ageFacts(database, 14 * 60 * SECOND);
  expect(await isDue()).toBe(false);
  await ageFacts(database, 2 * 60 * SECOND);
  expect(await tell()).toEqual({ subscriptionFailing: 1 });
  expect((await mails())[0]?.rows).toMatchObject([{ kind: 'subscriptionFailing', failures: 3 }]);
  // More failures are no further fact.
  await fail(id, 1);
  expect(await isDue()).toBe(false);
  expect((await receivers.find([id])).get(id)).toMatchObject({ isInTrouble: true });
  await receivers.clearStreaks([id]);
  expect((await receivers.find([id])).get(id)).toMatchObject({ isInTrouble: false });
  await ageFacts(database, 10 * SECOND);
  expect(await tell()).toEqual({ subscriptionRecovered: 1 });
  expect(await isDue()).toBe(false);
  for (const field of ['toldTrouble', 'recoveredTime', 'failingSince'])
    expect(await stored(id)).not.toHaveProperty(field);
});

test('failures that end before 15 minutes are told to nobody, and neither is their end', async () => {
  const { isDue, subscribe, fail, stored } = await openPractice();
  const { receivers } = testStore.store.everyOrganization;
  const id = await subscribe();
  await fail(id, SLOWED_FROM_FAILURES);
  await receivers.clearStreaks([id]);
  expect(await stored(id)).not.toHaveProperty('noticeAt');
  expect(await isDue()).toBe(false);
});

test('a disabling is told although an operator has enabled the subscription meanwhile, and so is that it works again', async () => {
  const { store, tell, mails, subscribe, fail, database } = await openPractice();
  const { receivers } = testStore.store.everyOrganization;
  const id = await subscribe();
  await fail(id, 20);
  await store.subscriptions.update(id, { active: true }, new Date());
  await fail(id, 1, 2);
  await ageFacts(database, 10 * SECOND);
  expect(await tell()).toEqual({ subscriptionDisabled: 1 });
  expect((await mails())[0]?.rows).toMatchObject([{ isActive: true, causes: ['timeout'] }]);
  // The new failures are still looked at after 15 minutes.
  await ageFacts(database, 15 * 60 * SECOND);
  expect(await tell()).toEqual({ subscriptionFailing: 1 });
  await receivers.clearStreaks([id]);
  await ageFacts(database, 10 * SECOND);
  expect(await tell()).toEqual({ subscriptionRecovered: 1 });
});

test('a subscription that is disabled again within the hour is told once the hour is over', async () => {
  const { store, tell, mails, isDue, subscribe, fail, database } = await openPractice();
  const id = await subscribe();
  await fail(id, 20);
  await ageFacts(database, 10 * SECOND);
  await tell();
  for (const activation of [2, 3]) {
    await store.subscriptions.update(id, { active: true }, new Date());
    await fail(id, 20, activation);
    await ageFacts(database, 10 * SECOND);
    expect(await tell()).toEqual({});
    expect(await isDue()).toBe(false);
  }
  await ageNotices(database, HOUR);
  await ageFacts(database, HOUR);
  expect(await tell()).toEqual({ subscriptionDisabled: 1 });
  expect(await mails()).toHaveLength(2);
});

test('a disabling by our own outage is told to nobody', async () => {
  const { tell, isDue, mails, subscribe, fail, database } = await openPractice();
  const id = await subscribe();
  await fail(id, 20);
  const streak = { subscriptionId: id, activation: 1, failures: 20 };
  await testStore.store.everyOrganization.receivers.subtractFailures(streak);
  await ageFacts(database, 60 * SECOND);
  expect(await tell()).toEqual({});
  expect(await mails()).toEqual([]);
  expect(await isDue()).toBe(false);
});

test('a subscription that an operator of the service has disabled is told, one that an administrator has disabled is not', async () => {
  const { store, tell, mails, subscribe, isDue, database } = await openPractice();
  await store.subscriptions.update(await subscribe(), { active: false }, new Date());
  expect(await isDue()).toBe(false);
  await store.subscriptions.update(await subscribe(), { active: false, isOfService: true }, new Date());
  await ageFacts(database, 60 * SECOND);
  expect(await tell()).toEqual({ subscriptionDisabled: 1 });
  expect((await mails())[0]?.rows[0]).not.toHaveProperty('causes');
});

test('what happens to an account is told to its operator, whatever the operator has switched off', async () => {
  const { addAdministrator, tell, toldTo, store, database } = await openPractice();
  const { _id, email } = await addAdministrator();
  const off = Object.fromEntries(
    Object.keys((await store.operators.noticeSettings(_id)) ?? {}).map((kind) => [kind, false]),
  );
  await store.operators.changeNoticeSettings(_id, off);
  const { sessions } = testStore.store.everyOrganization;
  const signIn = (network: string, password = 'a password', address = email) =>
    sessions.signIn(address, password, new Date(), { network, site: network });
  // The first network is not new.
  await signIn('192.0.2.1');
  await ageFacts(database, 60 * SECOND);
  expect(await tell()).toEqual({});
  await signIn('192.0.2.2');
  await signIn('192.0.2.2');
  await signIn('192.0.2.3');
  const moved = `moved.${email}`;
  await store.operators.update(_id, { password: 'another', role: 'staff', email: moved }, new Date());
  await ageFacts(database, 60 * SECOND);
  expect(await tell()).toEqual({ passwordChanged: 1, roleChanged: 1, emailChanged: 1, newNetwork: 1 });
  // The old address is told that there is another one, and nothing else goes there.
  expect(await toldTo()).toEqual(
    [
      ...['newNetwork', 'passwordChanged', 'roleChanged'].map((kind) => `${kind} ${moved}`),
      `emailChanged ${email}`,
    ].sort(),
  );
});

test('no mail about an account has the new address, or that of anybody else', async () => {
  const { addAdministrator, tell, mails, store, database, ...practice } = await openPractice();
  const { _id, email } = await addAdministrator();
  await store.operators.update(_id, { email: 'somewhere@else.example' }, new Date());
  await ageFacts(database, 60 * SECOND);
  await tell();
  const [mail] = await mails();
  expect(mail?.to).toBe(email);
  const { to, ...content } = mail as Mail;
  for (const other of ['somewhere@else.example', practice.administrator.email])
    expect(JSON.stringify(content)).not.toContain(other);
});

test('a key and a program token are told to end seven days before, and again after their end was moved', async () => {
  const { tell, mails, isDue, store, database, ...practice } = await openPractice();
  const now = Date.now();
  const key = { name: 'Recall', scopes: [], rateLimit: 100, expiryTime: new Date(now + 8 * DAY) };
  const { _id } = await createKey(store, key, new Date());
  const session = await database
    .collection<{ _id: string }>('sessions')
    .findOne({ operatorId: practice.administrator._id });
  const asked = { name: 'Onboarding', lifetimeDays: 90, access: 'webhooks' as const };
  await store.programTokens.create(session?._id ?? '', asked, new Date());
  expect(await isDue()).toBe(false);
  await store.apiKeys.update(_id, { expiryTime: new Date(now + 6 * DAY) }, new Date());
  await ageFacts(database, 60 * SECOND);
  expect(await tell()).toEqual({ credentialEnding: 1 });
  expect((await mails())[0]?.rows).toMatchObject([
    { credential: 'apiKey', name: 'Recall', path: `/keys#${_id}` },
  ]);
  // The same end is no further fact.
  await store.apiKeys.update(_id, { expiryTime: new Date(now + 6 * DAY), name: 'Recall 2' }, new Date());
  expect(await isDue()).toBe(false);
  await store.apiKeys.update(_id, { expiryTime: null }, new Date());
  expect(await isDue()).toBe(false);
  await database
    .collection('programTokens')
    .updateMany({}, { $set: { expiryTime: new Date(now + DAY), noticeAt: new Date(now - 60 * SECOND) } });
  expect(await tell()).toEqual({ credentialEnding: 1 });
  expect((await mails())[1]?.rows).toMatchObject([{ credential: 'programToken', name: 'Onboarding' }]);
});

const hostChange = (host: string, isNew = true) => [
  { field: 'url', value: host },
  { field: 'newHost', value: isNew },
];
const principal = { kind: 'operator' as const, id: 'somebody' };

test('a new host and a connected app are told from the audit log, unless the action was refused', async () => {
  const { organizationId, tell, mails, isDue, database } = await openPractice();
  const { audit } = testStore.store.everyOrganization;
  const action = { action: 'created', kind: 'webhookSubscription', ids: [] as string[], principal } as const;
  const refused = await audit.begin(organizationId, {
    ...{ ...action, changes: hostChange('refused.example.com') },
    requestId: newId(),
  });
  await refused({ result: 'ValidationError' });
  await audit.begin(organizationId, {
    ...{ ...action, changes: hostChange('known.example.com', false) },
    requestId: newId(),
  });
  await audit.begin(organizationId, {
    ...{ ...action, changes: hostChange('new.example.com') },
    requestId: newId(),
  });
  await ageFacts(database, 20 * SECOND);
  // The action has begun, and may still be refused.
  expect(await tell()).toEqual({});
  expect(await isDue()).toBe(true);
  // The action ends. Its entry has another time by now, by which it would be found.
  await database
    .collection('auditEntries')
    .updateOne(
      { organizationId, 'changes.value': 'new.example.com' },
      { $set: { result: 'ok', ids: ['subscription'] } },
    );
  await audit.add(organizationId, {
    ...{ action: 'granted', kind: 'connection', ids: ['connection'], result: 'ok', principal },
    requestId: newId(),
    changes: [
      { field: 'app', value: 'Assistant' },
      { field: 'clientId', value: 'client' },
      { field: 'redirectHost', value: 'app.example.com' },
    ],
  });
  await ageFacts(database, 20 * SECOND);
  expect(await tell()).toEqual({ newReceiverHost: 1, appConnected: 1 });
  expect((await mails())[0]?.rows).toMatchObject([
    { kind: 'newReceiverHost', host: 'new.example.com', path: '/webhooks/subscription' },
    { kind: 'appConnected', app: 'Assistant', host: 'app.example.com', path: '/connections#connection' },
  ]);
  expect(await isDue()).toBe(false);
});

test('an action whose process died may have happened, so it is told', async () => {
  const { organizationId, tell, database } = await openPractice();
  const { audit } = testStore.store.everyOrganization;
  await audit.begin(organizationId, {
    ...{ action: 'updated', kind: 'webhookSubscription', ids: ['subscription'], principal },
    ...{ changes: hostChange('new.example.com'), requestId: newId() },
  });
  await ageFacts(database, 60 * SECOND);
  expect(await tell()).toEqual({ newReceiverHost: 1 });
});

test('a fact that nobody could be told for two days is not told any more', async () => {
  const { tell, mails, isDue, subscribe, fail, database } = await openPractice();
  await fail(await subscribe(), 20);
  await ageFacts(database, 2 * DAY + 60 * SECOND);
  expect(await tell()).toEqual({});
  expect(await mails()).toEqual([]);
  expect(await isDue()).toBe(false);
});

test('a deleted operator and a deleted organization are told nothing, and what waits for the operator is withdrawn', async () => {
  const { addAdministrator, organizationId, tell, store, subscribe, fail, database } = await openPractice();
  const gone = await addAdministrator();
  await fail(await subscribe(), 20);
  await ageFacts(database, 60 * SECOND);
  await tell();
  await store.operators.update(gone._id, { role: 'staff' }, new Date());
  await store.operators.remove(gone._id);
  await ageFacts(database, 60 * SECOND);
  expect(await tell()).toEqual({});
  const collection = database.collection('mails');
  const withdrawn = await collection.findOne({ organizationId, operatorId: gone._id });
  expect(withdrawn).toMatchObject({ state: 'failed', cause: 'withdrawn' });
  expect(withdrawn).not.toHaveProperty('sealed');
  expect(await collection.countDocuments({ organizationId, state: 'queued' })).toBe(1);

  await fail(await subscribe(), 20);
  await ageFacts(database, 60 * SECOND);
  await database
    .collection<{ _id: string }>('organizations')
    .updateOne({ _id: organizationId }, { $set: { deletingSince: new Date() } });
  expect(await tell()).toEqual({});
  expect(await collection.countDocuments({ organizationId })).toBe(2);
});

test('500 subscriptions of one practice are told in one mail, and another practice is found beside them', async () => {
  const [many, few] = [await openPractice(), await openPractice()];
  const pattern = await many.subscribe();
  await many.fail(pattern, 20);
  const collection = many.database.collection<Document & { _id: string }>('subscriptions');
  const planted = await collection.findOne({ _id: pattern });
  await collection.insertMany(
    Array.from({ length: 499 }, () => ({ ...planted, _id: newId(), clinicId: newId() })),
  );
  await few.fail(await few.subscribe(), 20);
  await ageFacts(many.database, 60 * SECOND);
  expect(await few.isDue()).toBe(true);
  expect(await many.isDue()).toBe(true);
  expect(await few.tell()).toEqual({ subscriptionDisabled: 1 });
  expect(await many.tell()).toEqual({ subscriptionDisabled: 500 });
  const [mail, ...others] = await many.mails();
  expect(others).toEqual([]);
  expect(mail).toMatchObject({ more: 480 });
  expect(mail?.rows).toHaveLength(20);
  // One more waits for an hour.
  await many.fail(await many.subscribe(), 20);
  await ageFacts(many.database, 60 * SECOND);
  expect(await many.tell()).toEqual({});
  expect(await many.isDue()).toBe(false);
  await ageNotices(many.database, HOUR);
  await ageFacts(many.database, HOUR);
  expect(await many.tell()).toEqual({ subscriptionDisabled: 1 });
});

test('what was read long ago is not told', async () => {
  const { organizationId, mails, subscribe, fail, database } = await openPractice();
  await fail(await subscribe(), 20);
  await ageFacts(database, 60 * SECOND);
  const monotonic = performance.now.bind(performance);
  let passed = 0;
  const now = vi.spyOn(performance, 'now').mockImplementation(() => monotonic() + passed);
  const slow = processWith(({ mails: collection }) => ({
    mails: {
      find: ((...given: Parameters<typeof collection.find>) => {
        passed = 31 * SECOND;
        return collection.find(...given);
      }) as typeof collection.find,
    },
  }));
  expect(await slow.tell(organizationId)).toEqual({});
  now.mockRestore();
  expect(await mails()).toEqual([]);
});
