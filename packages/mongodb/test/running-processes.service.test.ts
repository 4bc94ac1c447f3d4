import { VERSION } from '@chairside/startup';
import type { Db } from 'mongodb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openTestStore, type TestStore } from '../../test-support/src/index.ts';
import { Database } from '../src/driver/database.ts';
import { FORM, type FormDocument, storeForm } from '../src/preparation/database-form.ts';
import {
  checkRunningForms,
  EarlierVersionRunsError,
  openRegistration,
  type ProcessDocument,
  type RegistrationOptions,
  runningProcesses,
} from '../src/preparation/running-processes.ts';
import { openSchedule } from '../src/stores/schedule-store.ts';
import { openWholeStore } from '../src/stores/whole-store.ts';

/** A form that processes of the present form cannot read. */
const newer = { current: FORM.current + 1, oldestReader: FORM.current + 1, oldestUpgradable: FORM.current };
const own = {
  service: 'api',
  version: VERSION,
  commit: 'source',
  form: FORM.current,
  skewMs: expect.any(Number),
};

let testStore: TestStore;
beforeEach(async () => {
  testStore = await openTestStore();
});
afterEach(() => testStore.close());

const database = () => new Database(testStore.database as Db);
const processes = () => testStore.database.collection<ProcessDocument>('processes');
const databaseForm = () => testStore.database.collection<FormDocument>('databaseForm');
const running = () => runningProcesses(database(), processes());

const problems: unknown[] = [];
beforeEach(() => void problems.splice(0));
const options = (service = 'api'): RegistrationOptions => ({
  service,
  onUnreadable: (problem) => void problems.push(problem),
  onFailed: (error) => void problems.push(error),
  onSkew: (skew) => void problems.push(skew),
});
const registrationOf = (service?: string, form = FORM) =>
  openRegistration({ processes: processes(), databaseForm: databaseForm() }, options(service), form);
const openRegisteredStore = () =>
  openWholeStore({
    url: testStore.url,
    encryptionKeys: testStore.encryptionKeys,
    appName: 'test',
    registration: options(),
  });

test('a registration says whether a proxy of the process writes no address of its callers', async () => {
  let hasUnreadableCallers = false;
  const registration = openRegistration(
    { processes: processes(), databaseForm: databaseForm() },
    { ...options(), hasUnreadableCallers: () => hasUnreadableCallers },
  );
  await registration.register();
  expect(await running()).toEqual([own]);
  hasUnreadableCallers = true;
  await registration.register();
  expect(await running()).toEqual([{ ...own, hasUnreadableCallers: true }]);
  await registration.end();
});

test('a process is registered from its preparation to its end, and forgotten two minutes after a kill', async () => {
  const store = openRegisteredStore();
  expect(await running()).toEqual([]);
  await store.prepare();
  expect(await running()).toEqual([own]);
  await store.close();
  expect(await running()).toEqual([]);

  await registrationOf().register();
  expect(await running()).toEqual([own]);
  await processes().updateMany({}, { $set: { seenTime: new Date(Date.now() - 110_000) } });
  expect(await running()).toEqual([own]);
  await processes().updateMany({}, { $set: { seenTime: new Date(Date.now() - 130_000) } });
  expect(await running()).toEqual([]);
  expect(problems).toEqual([]);
});

test('a registration that ends while it is renewed is gone', async () => {
  const registrations = Array.from({ length: 20 }, () => registrationOf());
  for (const registration of registrations) registration.keep();
  await Promise.all(registrations.map((registration) => registration.end()));
  expect(await running()).toEqual([]);
});

test('a new version waits until the processes are gone that cannot read what it writes', async () => {
  const earlier = registrationOf('webhook-dispatcher', { ...FORM, current: FORM.oldestReader - 1 });
  await earlier.register();
  const store = openRegisteredStore();
  await expect(store.prepare()).rejects.toThrow(EarlierVersionRunsError);
  await expect(store.prepare()).rejects.toThrow(
    `These processes cannot read what version ${VERSION} writes: webhook-dispatcher ${VERSION}. Stop them.`,
  );
  expect(await databaseForm().findOne()).not.toBeNull();

  const waiting = Promise.withResolvers<unknown>();
  const onReady = vi.fn<() => void>();
  const prepared = store.prepare({ onWaiting: waiting.resolve, onReady });
  expect(await waiting.promise).toBeInstanceOf(EarlierVersionRunsError);
  await earlier.end();
  await prepared;
  expect(onReady).toHaveBeenCalledOnce();
  await store.close();
});

test('of two processes whose forms exclude each other and that start at once, at least one finds the other', async () => {
  for (let round = 0; round < 20; round++) {
    await Promise.all([processes().deleteMany({}), databaseForm().deleteMany({})]);
    const [old, young] = [registrationOf('api', FORM), registrationOf('api', newer)];
    const startOld = async () => {
      await old.register();
      return (await databaseForm().findOne({ oldestReader: { $gt: FORM.current } })) === null;
    };
    const startYoung = async () => {
      await young.register();
      await storeForm(databaseForm(), newer);
      return checkRunningForms(database(), processes(), newer).then(
        () => true,
        () => false,
      );
    };
    const [oldStarts, youngStarts] = await Promise.all([startOld(), startYoung()]);
    expect(oldStarts && youngStarts).toBe(false);
  }
});

test('a running process stops when the form has become unreadable, and the connector refuses to start', async () => {
  await storeForm(databaseForm(), newer);
  const found = Promise.withResolvers<string>();
  const registration = openRegistration(
    { processes: processes(), databaseForm: databaseForm() },
    { ...options(), onUnreadable: found.resolve },
  );
  registration.keep();
  expect(await found.promise).toMatch(/has changed the form of this database/);
  await registration.end();

  const store = openRegisteredStore();
  await expect(store.prepare()).rejects.toThrow(/has changed the form of this database/);
  expect(await running()).toEqual([]);
  await store.close();

  const schedule = openSchedule({ url: testStore.url, appName: 'test' });
  await expect(schedule.check()).rejects.toThrow(/has changed the form of this database/);
  await schedule.close();
});
