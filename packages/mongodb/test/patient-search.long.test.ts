import { newEvent, newId, type Patient, patientSearch } from '@chairside/domain';
import type { Db } from 'mongodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  createPractice,
  openTestStore,
  type Practice,
  type TestStore,
} from '../../test-support/src/index.ts';
import { switchPatientSearch } from '../src/administration/patient-search.ts';
import { Database } from '../src/driver/database.ts';
import type { Ciphers } from '../src/encryption/ciphers.ts';
import { SearchOffError } from '../src/index.ts';
import type { ProcessDocument } from '../src/preparation/running-processes.ts';
import { shapes, toFields } from '../src/records/record-shapes.ts';
import { randomFrom } from './interleavings.ts';
import { randomPatients, randomQuery } from './search-cases.ts';

let testStore: TestStore;
let practice: Practice;
beforeEach(async () => {
  testStore = await openTestStore();
  practice = await createPractice(testStore.store);
});
afterEach(async () => {
  await testStore.close();
});

const author = { principal: { kind: 'system' as const, id: 'test' }, requestId: 'test' };
const eventOf = (record: Patient, event: 'patient.created' | 'patient.updated' | 'patient.deleted') =>
  newEvent({ _id: newId(), event, time: new Date(), author }, record);

const patientWith = (fields: Partial<Patient>, { clinicIds } = practice): Patient => ({
  _id: newId(),
  clinicId: clinicIds[0],
  createdTime: new Date().toISOString(),
  lastEditTime: new Date().toISOString(),
  ...fields,
});
const add = async (fields: Partial<Patient>, of = practice): Promise<Patient> => {
  const patient = patientWith(fields, of);
  await of.store.patients.create(patient, eventOf(patient, 'patient.created'));
  return patient;
};
const change = (id: string, fields: Partial<Patient>) =>
  practice.store.patients.edit(id, ({ record }) => {
    const next = { ...record, ...fields };
    return { record: next, event: eventOf(next, 'patient.updated') };
  });

type Query = { name?: string; phone?: string };
const idsOf = (patients: readonly { _id: string }[]) => patients.map(({ _id }) => _id).sort();
/** Finds patients page by page, and checks that the streamed list has the same. */
const found = async (query: Query, { store } = practice, limit = 100): Promise<string[]> => {
  const rows: Patient[] = [];
  for (let after: { key: string | null; id: string } | undefined; ; ) {
    const page = store.patients.page(query, { limit, after });
    const some = (await Array.fromAsync(page.rows)).slice(0, limit);
    rows.push(...some.map(({ record }) => record));
    after = some.length === limit ? some.at(-1)?.position : page.stoppedAt();
    if (after === undefined) break;
  }
  expect(rows.map(({ _id }) => _id)).toEqual(idsOf(rows));
  expect(await Array.fromAsync(store.patients.list(query))).toEqual(rows);
  return idsOf(rows);
};
const patientDocuments = () => testStore.database.collection('patients');

test('a patient is found by the beginnings of the words of the name, by short words, and by the number', async () => {
  const anna = await add({ name: 'Anna-Lena Müller', phone: '+41 44 123 45 67' });
  const short = await add({ name: 'Li Mu', phone: '12345' });
  await add({ name: 'Hanna Lena Müllner' });
  await add({});
  for (const name of ['ann', 'ANNA', 'lena', 'mull', 'Müller', 'mueller ann', 'MUEL anna', 'anna-lena'])
    expect([name, await found({ name })]).toEqual([name, expect.arrayContaining([anna._id])]);
  expect(await found({ name: 'anna mull' })).toEqual([anna._id]);
  for (const name of ['li', 'MU', 'mu li'])
    expect([name, await found({ name })]).toEqual([name, [short._id]]);
  for (const name of ['an', 'l', 'lim']) expect([name, await found({ name })]).toEqual([name, []]);
  expect(await found({ name: 'annab' })).toEqual([]);
  expect(await found({ name: 'nna' })).toEqual([]);
  expect(await found({ phone: '1234567' })).toEqual([anna._id]);
  expect(await found({ phone: '4123 45-67' })).toEqual([anna._id]);
  expect(await found({ phone: '+41 44 123 45 67' })).toEqual([anna._id]);
  expect(await found({ phone: '0041 (0)44 123 45 67 ext. 8' })).toEqual([anna._id]);
  expect(await found({ phone: '+41 44 223 45 67' })).toEqual([]);
  expect(await found({ name: 'anna', phone: '234567' })).toEqual([anna._id]);
  expect(await found({ name: 'anna', phone: '134567' })).toEqual([]);
  expect(await found({ phone: '012345' })).toEqual([]);
  // A word has one token, and a number with too few digits none.
  expect((await patientDocuments().findOne({ _id: short._id }))?.searchTokens).toHaveLength(2);
});

test('the fields that a search compares are returned only if they were asked for', async () => {
  const { _id } = await add({ name: 'Anna', phone: '1234567', language: 'de' });
  const { patients } = practice.store;
  expect(await Array.fromAsync(patients.list({ name: 'anna' }, ['_id', 'language']))).toEqual([
    { _id, language: 'de' },
  ]);
  const { rows } = patients.page({ phone: '1234567' }, { limit: 5 }, ['_id', 'phone']);
  expect((await Array.fromAsync(rows)).map(({ record }) => record)).toEqual([{ _id, phone: '1234567' }]);
});

test('a write that changes the name changes in the same write by what the patient is found', async () => {
  const { _id } = await add({ name: 'Anna Before', phone: '1234567' });
  await change(_id, { name: 'Anna Later' });
  expect(await found({ name: 'before' })).toEqual([]);
  expect(await found({ name: 'later' })).toEqual([_id]);
  expect(await found({ phone: '1234567' })).toEqual([_id]);
  await change(_id, { name: undefined, phone: undefined } as Partial<Patient>);
  expect(await found({ name: 'later' })).toEqual([]);
  expect(await found({ phone: '1234567' })).toEqual([]);

  // While two callers rename it, every search finds it by the name that they have in common.
  let isDone = false;
  const renaming = Promise.all(
    ['x', 'y'].map(async (letter) => {
      for (let count = 0; count < 20; count++) await change(_id, { name: `Common ${letter}${count}` });
    }),
  ).then(() => {
    isDone = true;
  });
  await change(_id, { name: 'Common' });
  const missed: number[] = [];
  for (let count = 0; !isDone; count++) {
    const { rows } = practice.store.patients.page({ name: 'common' }, { limit: 10 });
    if ((await Array.fromAsync(rows)).length !== 1) missed.push(count);
  }
  await renaming;
  expect(missed).toEqual([]);

  await practice.store.patients.edit(_id, ({ record }) => ({
    record,
    event: eventOf(record, 'patient.deleted'),
    deleted: true,
  }));
  expect(await found({ name: 'common' })).toEqual([]);
});

test('another organization finds its own patients, with other tokens', async () => {
  const other = await createPractice(testStore.store);
  // Of one word, the tokens of two organizations may be the same by chance.
  const name = 'Anna Berta Clara Dora';
  const [mine, theirs] = [await add({ name }), await add({ name }, other)];
  expect(await found({ name: 'anna' })).toEqual([mine._id]);
  expect(await found({ name: 'anna' }, other)).toEqual([theirs._id]);
  const [one, two] = await patientDocuments()
    .find({}, { projection: { searchTokens: 1, _id: 0 } })
    .toArray();
  expect(one?.searchTokens?.length).toBeGreaterThan(1);
  expect(one).not.toEqual(two);
});

test('with other filters, a search finds what meets them all', async () => {
  const clinic = patientWith({}).clinicId;
  const [one, two] = [await add({ name: 'Anna', email: 'a@example.com' }), await add({ name: 'Anna' })];
  const other = await add({ name: 'Anna', clinicId: newId() });
  const { patients } = practice.store;
  const ids = async (filter: object) =>
    idsOf(await Array.fromAsync(patients.list({ name: 'ann', ...filter })));
  expect(await ids({ clinicId: clinic })).toEqual(idsOf([one, two]));
  expect(await ids({ email: 'A@example.com' })).toEqual([one._id]);
  expect(await ids({ ids: [two._id, other._id, newId()] })).toEqual(idsOf([two, other]));
  const dated = { name: 'ann', updatedSince: two.lastEditTime };
  const page = patients.page(dated, { limit: 10 });
  expect((await Array.fromAsync(page.rows)).map(({ record }) => record._id)).toEqual([two._id, other._id]);
});

test('a page examines at most ten thousand candidates, and its position leads on', async () => {
  const ids = Array.from({ length: 10_021 }, () => newId()).sort();
  const many = ids.slice(0, -1).map((_id) => patientWith({ _id, name: 'Smithson' }));
  const last = patientWith({ _id: ids.at(-1) ?? '', name: 'Smithx' });
  const cipher = await testStore.store.ciphers.of(practice.organizationId);
  const documents = [...many, last].map((patient) => ({
    ...toFields(shapes.patient, patient, cipher),
    _id: patient._id,
    organizationId: practice.organizationId,
    revision: 1,
  }));
  for (let from = 0; from < documents.length; from += 2000)
    await patientDocuments().insertMany(documents.slice(from, from + 2000));
  const { patients } = practice.store;
  const noTimeLimit = { limit: 10, examiningMs: Number.POSITIVE_INFINITY };
  const first = patients.page({ name: 'smithx' }, noTimeLimit);
  expect(await Array.fromAsync(first.rows)).toEqual([]);
  const after = first.stoppedAt();
  expect(after?.id).toBe(many[9999]?._id);
  const second = patients.page({ name: 'smithx' }, { ...noTimeLimit, after });
  expect((await Array.fromAsync(second.rows)).map(({ record }) => record._id)).toEqual([last._id]);
  expect(second.stoppedAt()).toBeUndefined();
  expect(await Array.fromAsync(patients.list({ name: 'smithx' }))).toHaveLength(1);
});

test('a page ends after the time for which a search may examine, and its position leads on', async () => {
  const added: Patient[] = [];
  for (let count = 0; count < 5; count++)
    added.push(await add({ name: count === 3 ? 'Smithx' : 'Smithson' }));
  const { patients } = practice.store;
  const since = { updatedSince: new Date(0).toISOString() };
  for (const filter of [{ name: 'smithx' }, { name: 'smithx', ...since }]) {
    const read: (string | undefined)[][] = [];
    let after: { key: string | null; id: string } | undefined;
    do {
      const page = patients.page(filter, { limit: 10, after, examiningMs: 0 });
      const ids = (await Array.fromAsync(page.rows)).map(({ record }) => record._id);
      after = page.stoppedAt();
      read.push([...ids, after?.id]);
    } while (after !== undefined);
    expect(read).toEqual([
      [added[0]?._id],
      [added[1]?._id],
      [added[2]?._id],
      [added[3]?._id, added[3]?._id],
      [added[4]?._id],
      [undefined],
    ]);
  }
  const { rows, stoppedAt } = patients.page({}, { limit: 10, examiningMs: 0 });
  expect(await Array.fromAsync(rows)).toHaveLength(5);
  expect(stoppedAt()).toBeUndefined();
});

test('a search ends when its caller has gone', async () => {
  for (let count = 0; count < 5; count++) await add({ name: 'Smithson' });
  const { patients } = practice.store;
  for (const filter of [{ name: 'smi' }, { phone: '1234567', name: 'smi' }, {}]) {
    const caller = new AbortController();
    const listed: Patient[] = [];
    for await (const patient of patients.list(filter, undefined, caller.signal)) {
      listed.push(patient);
      caller.abort();
    }
    expect(listed).toHaveLength('phone' in filter ? 0 : 1);
  }
  const { rows, stoppedAt } = patients.page({ name: 'smithx' }, { limit: 10, signal: AbortSignal.abort() });
  expect(await Array.fromAsync(rows)).toEqual([]);
  expect(stoppedAt()).toMatchObject({ key: null });
});

test('random names of many scripts are found as by a scan of all patients', async () => {
  const random = randomFrom(42);
  const patients = randomPatients(random, 300, () => patientWith({}));
  for (const patient of patients) await practice.store.patients.create(patient);
  let hits = 0;
  for (let count = 0; count < 300; count++) {
    const query = randomQuery(random, patients);
    const expected = idsOf(patients.filter((patient) => patientSearch(query)?.finds(patient)));
    expect([query, await found(query, practice, 1 + (count % 7))]).toEqual([query, expected]);
    hits += expected.length;
  }
  expect(hits).toBeGreaterThan(300);
});

test('the search is switched off and on again', async () => {
  const { administration } = testStore.store.everyOrganization;
  const { organizationId } = practice;
  const other = await createPractice(testStore.store);
  const [anna, theirs] = [await add({ name: 'Anna' }), await add({ name: 'Anna' }, other)];
  const options = { onWait: () => {}, onProgress: () => {}, settleMs: 0 };
  expect(await administration.patientSearchState(organizationId)).toBe('on');
  const before = await practice.store.patients.find(anna._id);

  expect(await administration.switchPatientSearch(organizationId, 'off', options)).toEqual({
    ...{ state: 'off', changed: 1, refused: [] },
  });
  const later = await add({ name: 'Anna' });
  expect(await patientDocuments().countDocuments({ organizationId, searchTokens: { $exists: true } })).toBe(
    0,
  );
  await expect(Array.fromAsync(practice.store.patients.list({ name: 'anna' }))).rejects.toThrow(
    SearchOffError,
  );
  const page = practice.store.patients.page({ phone: '123456' }, { limit: 1 });
  await expect(Array.fromAsync(page.rows)).rejects.toThrow(SearchOffError);
  expect(await found({ name: 'anna' }, other)).toEqual([theirs._id]);
  expect(await practice.store.patients.find(anna._id)).toEqual(before);

  const states: string[] = [];
  const on = await administration.switchPatientSearch(organizationId, 'on', {
    ...options,
    onWait: () => states.push('waits'),
    onProgress: () => states.push('progress'),
  });
  expect(on).toEqual({ state: 'on', changed: 2, refused: [] });
  expect(states).toEqual(['waits', 'progress']);
  expect(await found({ name: 'anna' })).toEqual(idsOf([anna, later]));
  expect(await practice.store.patients.find(anna._id)).toEqual(before);
  expect(await administration.switchPatientSearch(organizationId, 'on', options)).toMatchObject({
    changed: 0,
  });
});

test.each([
  { wanted: 'on', opposite: 'off' },
  { wanted: 'off', opposite: 'on' },
] as const)(
  'a command that switches the search $wanted ends if a later one does the opposite',
  async ({ wanted, opposite }) => {
    const { administration } = testStore.store.everyOrganization;
    const { organizationId } = practice;
    const options = { onWait: () => {}, onProgress: () => {}, settleMs: 0 };
    await add({ name: 'Anna' });
    await administration.switchPatientSearch(organizationId, opposite, options);
    let hasWaited = false;
    const switching = switchPatientSearch(
      {
        database: new Database(testStore.database as Db),
        processes: testStore.database.collection<ProcessDocument>('processes'),
        ciphers: testStore.store.ciphers as Ciphers,
        // The later command runs before the first page.
        async searchState(id) {
          if (hasWaited) await administration.switchPatientSearch(organizationId, opposite, options);
          hasWaited = false;
          return administration.patientSearchState(id);
        },
      },
      organizationId,
      wanted,
      {
        ...options,
        onWait() {
          hasWaited = true;
        },
      },
    );
    await expect(switching).rejects.toThrow(
      `Another command has switched the search ${opposite} in the meantime.`,
    );
    expect(await administration.patientSearchState(organizationId)).toBe(opposite);
    const tokens = { organizationId, searchTokens: { $exists: opposite === 'off' } };
    expect(await patientDocuments().countDocuments(tokens)).toBe(0);
  },
);

test('while the search is being switched on, it finds patients with and without tokens', async () => {
  const { organizationId } = practice;
  const anna = await add({ name: 'Anna' });
  await patientDocuments().updateOne({ _id: anna._id }, { $unset: { searchTokens: '' } });
  const organizations = testStore.database.collection('organizations');
  await organizations.updateOne({ _id: organizationId }, { $set: { patientSearch: 'building' } });
  const later = await add({ name: 'Anna' });
  expect(await found({ name: 'anna' })).toEqual(idsOf([anna, later]));
});
