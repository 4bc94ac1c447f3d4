import { newEvent, newId, type Patient } from '@chairside/domain';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createPractice,
  openTestStore,
  type Practice,
  type TestStore,
} from '../../test-support/src/index.ts';
import type { OutboxRef } from '../src/records/outbox.ts';

let testStore: TestStore;
let practice: Practice;
beforeAll(async () => {
  testStore = await openTestStore();
  practice = await createPractice(testStore.store);
});
afterAll(() => testStore.close());

const author = { principal: { kind: 'system' as const, id: 'test' }, requestId: 'test' };
const patient = (): Patient => ({
  _id: newId(),
  clinicId: practice.clinicIds[0],
  createdTime: new Date().toISOString(),
  lastEditTime: new Date().toISOString(),
});
/** An event whose body has about this many characters. */
const eventOf = (record: Patient, length: number) => {
  const event = { _id: newId(), event: 'patient.updated' as const, time: new Date(), author };
  return newEvent(event, { ...record, filler: 'x'.repeat(length) } as Patient);
};
const refTo = ({ _id }: Patient): OutboxRef => ({
  organizationId: practice.organizationId,
  kind: 'patient',
  recordId: _id,
});

test('a record of 4 MiB accepts no events until some are published', async () => {
  const record = patient();
  const { patients } = practice.store;
  await patients.create(record, eventOf(record, 256 * 1024));
  const edit = () =>
    patients.edit(record._id, (current) => ({ ...current, event: eventOf(record, 256 * 1024) }));
  let written = 1;
  while ((await edit()).outcome === 'written') written++;
  expect((await edit()).outcome).toBe('busy');
  expect(written).toBe(16);

  const { outbox } = testStore.store.everyOrganization;
  const { events, large } = await outbox.readSmall([refTo(record)]);
  expect(events).toEqual([]);
  expect(large).toEqual([{ ...refTo(record), bytes: expect.any(Number) }]);
  expect(large[0]?.bytes).toBeGreaterThan(4 * 1024 * 1024);
  expect(large[0]?.bytes).toBeLessThan(5 * 1024 * 1024);
  const all = await outbox.read([refTo(record)]);
  expect(all).toHaveLength(written);
  await outbox.takeOut(all);
  expect((await edit()).outcome).toBe('written');
});

test('reads the events of small records together, without those of large ones', async () => {
  const [small, large] = [patient(), patient()];
  const event = eventOf(small, 1000);
  await practice.store.patients.create(small, event);
  await practice.store.patients.create(large, eventOf(large, 100_000));
  const { outbox, events } = testStore.store.everyOrganization;
  const read = await outbox.readSmall([refTo(small), refTo(large)]);
  const opened = await Promise.all(
    read.events.map(async (each) => ({ ...each, body: await events.open(each) })),
  );
  expect(opened).toEqual([{ ...event, ...refTo(small) }]);
  expect(read.large.map(({ recordId }) => recordId)).toEqual([large._id]);
});

test('the search for overdue events excludes the given records and organizations', async () => {
  const [one, other] = [patient(), patient()];
  for (const record of [one, other]) await practice.store.patients.create(record, eventOf(record, 10));
  const { outbox } = testStore.store.everyOrganization;
  const found = async (except: string[]) =>
    (await outbox.overdue(new Date(Date.now() + 60_000), 200, { records: except, organizations: [] })).map(
      ({ recordId }) => recordId,
    );
  expect(await found([])).toEqual(expect.arrayContaining([one._id, other._id]));
  expect(await found([one._id])).not.toContain(one._id);
  expect(await found([one._id])).toContain(other._id);
});
