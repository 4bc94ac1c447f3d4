import { type AuditEntry, clock, newId, packId } from '@chairside/domain';
import { Binary, Collection } from 'mongodb';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { openTestStore, type TestStore } from '../../test-support/src/index.ts';
import type { Access, AuditDocument, AuditFilter } from '../src/audit/audit.ts';
import { type AuditedSetDocument, auditedSetWriter, MAX_SETS_OF_RECORD } from '../src/audit/audited-sets.ts';

let testStore: TestStore;
beforeAll(async () => {
  testStore = await openTestStore();
});
beforeEach(async () => {
  for (const name of ['auditEntries', 'auditedSets'])
    await testStore.database.collection(name).deleteMany({});
});
afterAll(() => testStore.close());

const DAY = 86_400_000;

const entries = () => testStore.database.collection<AuditDocument>('auditEntries');
const sets = () => testStore.database.collection<AuditedSetDocument>('auditedSets');
const auditOf = (organizationId = 'own') => testStore.store.organization(organizationId).audit;

const listed = (ids: readonly string[], more: Partial<Access> = {}): Access => ({
  action: 'listed',
  kind: 'patient',
  ids: [...ids],
  principal: { kind: 'apiKey', id: 'key' },
  requestId: newId(),
  result: 'ok',
  ...more,
});
const newIds = (count: number): string[] => Array.from({ length: count }, () => newId());
const read = async (filter: AuditFilter = {}, organizationId = 'own') =>
  Array.fromAsync(auditOf(organizationId).page(filter, {}, 1000));

test('an entry of a long list has all its ids, and every one of them finds it', async () => {
  const ids = newIds(1000);
  await auditOf().add(listed(ids));
  const [entry] = await read();
  expect(entry?.ids).toEqual(ids.toSorted());
  expect(entry).not.toHaveProperty('sets');
  for (const recordId of ids.slice(0, 20)) expect(await read({ recordId })).toEqual([entry]);
  expect(await read({ recordId: newId() })).toEqual([]);
  expect(await read({ recordId: ids[0] }, 'other')).toEqual([]);
  const { requestId = '' } = entry ?? {};
  expect(await read({ recordId: ids[0], requestId })).toEqual([entry]);
  expect(await read({ recordId: newId(), requestId })).toEqual([]);
});

test('a list that is read again stores no id again, and a list that has changed stores few', async () => {
  const ids = newIds(1000);
  await auditOf().add(listed(ids));
  const first = await sets().countDocuments();
  expect(first).toBeLessThan(1000 / 30);
  await auditOf().add(listed(ids.toReversed()));
  expect(await sets().countDocuments()).toBe(first);
  const [, again] = await entries()
    .find({}, { sort: { _id: 1 } })
    .toArray();
  expect(again?.ids).toEqual([]);
  // A record was deleted and another one created.
  await auditOf().add(listed([...ids.slice(0, 300), ...ids.slice(301), newId()]));
  expect(await sets().countDocuments()).toBeLessThanOrEqual(first + 3);
  // Another organization shares nothing.
  await auditOf('other').add(listed(ids));
  expect((await read({ recordId: ids[5] }, 'other')).map((entry) => entry.ids.length)).toEqual([1000]);
  expect(await sets().countDocuments({ organizationId: 'other' })).toBe(first);
});

test('a short list, and one with other ids than ours, stays in its entry', async () => {
  const short = newIds(49);
  const foreign = Array.from({ length: 100 }, (_, index) => `record-${index}`);
  await auditOf().add(listed(short));
  await auditOf().add(listed(foreign));
  expect(await sets().countDocuments()).toBe(0);
  expect((await read()).map(({ ids }) => ids)).toEqual([foreign, short]);
  expect(await read({ recordId: 'record-7' })).toHaveLength(1);
});

test('the entries of a record are merged from more sets than one query reads, in pages', async () => {
  const recordId = newId();
  for (let round = 0; round < 45; round++)
    await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        await auditOf().add(listed([recordId, ...newIds(50)]));
        if (index % 5 === 0) await auditOf().add(listed([recordId], { action: 'read' }));
        await auditOf().add(listed(newIds(50)));
      }),
    );
  const all = await read();
  const expected = all.filter(({ ids }) => ids.includes(recordId));
  expect(expected).toHaveLength(540);
  expect(await read({ recordId })).toEqual(expected);
  expect(await read({ recordId, action: ['read'] })).toEqual(
    expected.filter(({ action }) => action === 'read'),
  );
  const paged: unknown[] = [];
  for (let before: { time: Date; _id: string } | undefined; ; ) {
    const page = await Array.fromAsync(auditOf().page({ recordId }, { before }, 37));
    paged.push(...page);
    const last = page.at(-1);
    if (last === undefined) break;
    before = { time: new Date(last.time), _id: last._id };
  }
  expect(paged).toEqual(expected);
});

test('the entries of one record and one request are read in pages, each once', async () => {
  const recordId = newId();
  const requestId = newId();
  for (const action of ['imported', 'exported', 'erased'] as const)
    await auditOf().add(listed([recordId, ...newIds(50)], { action, requestId }));
  const all = await read();
  const page = (before?: AuditEntry) =>
    Array.fromAsync(
      auditOf().page(
        { recordId, requestId },
        { before: before && { time: new Date(before.time), _id: before._id } },
        1,
      ),
    );
  const paged: AuditEntry[] = [];
  for (const _each of all) paged.push(...(await page(paged.at(-1))));
  expect(paged).toEqual(all);
  expect(await page(paged.at(-1))).toEqual([]);
});

test('callers that store the same sets at once all succeed', async () => {
  const ids = newIds(500);
  await Promise.all(Array.from({ length: 12 }, () => auditOf().add(listed(ids))));
  const found = await read({ recordId: ids[250] });
  expect(found.map((entry) => entry.ids)).toEqual(Array(12).fill(ids.toSorted()));
});

test('a set is kept longer than every entry that refers to it', async () => {
  const ids = newIds(100);
  await auditOf().add(listed(ids));
  const [entry] = await entries().find().toArray();
  const until = entry?.expireAt ?? new Date(0);
  const ends = async () => (await sets().find().toArray()).map(({ expireAt }) => expireAt);
  for (const end of await ends()) expect(end.getTime()).toBeGreaterThan(until.getTime());
  // Later, the sets would expire before the next entry.
  const later = new Date(Date.now() + 31 * DAY);
  vi.spyOn(clock, 'now').mockReturnValue(later);
  try {
    await auditOf().add(listed(ids));
  } finally {
    vi.restoreAllMocks();
  }
  const [, last] = await entries()
    .find({}, { sort: { time: 1 } })
    .toArray();
  expect(last?.time).toEqual(later);
  for (const end of await ends())
    expect(end.getTime()).toBeGreaterThan(last?.expireAt.getTime() ?? Number.NaN);
  expect(await read({ recordId: ids[0] })).toHaveLength(2);
});

test('sets that were stored or found a moment ago are not looked for again', async () => {
  const ids = newIds(100);
  const until = new Date();
  const asked = vi.fn();
  const opened = () => {
    const collection = sets();
    vi.spyOn(collection, 'find').mockImplementation((filter = {}, options) => {
      asked(filter);
      return sets().find(filter, options);
    });
    return auditedSetWriter(collection);
  };
  for (const own of [opened(), opened()]) {
    const names = await own.add('own', ids, until);
    expect(await own.add('own', ids, until)).toEqual(names);
    expect(asked).toHaveBeenCalledOnce();
    await own.add('other', ids, until);
    expect(asked).toHaveBeenCalledTimes(2);
    asked.mockClear();
  }
  // The sets are known, but end before an entry that is kept longer.
  const own = opened();
  await own.add('own', ids, until);
  await own.add('own', ids, new Date(until.getTime() + 31 * DAY));
  expect(asked).toHaveBeenCalledTimes(2);
  for (const { expireAt } of await sets().find({ organizationId: 'own' }).toArray())
    expect(expireAt.getTime()).toBeGreaterThan(until.getTime() + 31 * DAY);
});

test('an entry is stored only after its sets', async () => {
  const ids = newIds(100);
  await sets().createIndex({ organizationId: 1 }, { unique: true, name: 'refusing' });
  await sets().insertOne({ _id: 'taken', organizationId: 'own', ids: [], expireAt: new Date() });
  try {
    await expect(auditOf().add(listed(ids))).rejects.toThrow();
    expect(await entries().countDocuments()).toBe(0);
  } finally {
    await sets().dropIndex('refusing');
  }
});

test('the entries of a record that is in very many sets are found by examining all entries', async () => {
  const [recordId = '', ...others] = newIds(60);
  const principal = { kind: 'apiKey', id: 'other' } as const;
  await auditOf().add(listed([recordId, ...others]));
  await auditOf().add(listed(others, { principal }));
  await auditOf().add(listed([recordId], { action: 'read', principal }));
  const packed = new Binary(packId(recordId) as Uint8Array);
  const expireAt = new Date(clock.now().getTime() + DAY);
  const many = newIds(MAX_SETS_OF_RECORD).map((name) => ({
    _id: `own-${name}`,
    organizationId: 'own',
    ids: [packed],
    expireAt,
  }));
  const before = await read({ recordId });
  expect(before.map(({ action }) => action)).toEqual(['read', 'listed']);
  const filters: AuditFilter[] = [
    { recordId },
    { recordId, principalId: 'other' },
    { recordId, action: ['listed'] },
    { recordId, requestId: before[1]?.requestId },
    { recordId: newId() },
  ];
  const few = await Promise.all(filters.map((filter) => read(filter)));
  await sets().insertMany(many);
  const find = vi.spyOn(Collection.prototype, 'find');
  expect(await Promise.all(filters.map((filter) => read(filter)))).toEqual(few);
  expect(find.mock.calls.filter(([filter]) => JSON.stringify(filter).includes(`${many[0]?._id}`))).toEqual(
    [],
  );
  expect(await Array.fromAsync(auditOf().page({ recordId }, {}, 1))).toEqual(before.slice(0, 1));
  expect(await auditOf().examinedTo({ recordId }, undefined)).toBeUndefined();
});
