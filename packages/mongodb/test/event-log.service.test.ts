import { newEvent, newId } from '@chairside/domain';
import type { Collection, Db } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createPractice,
  openTestStore,
  type Practice,
  type TestStore,
} from '../../test-support/src/index.ts';
import { type DeliveryDocument, eventUsesIn } from '../src/deliveries/deliveries.ts';
import { Database } from '../src/driver/database.ts';
import { databaseTime } from '../src/driver/statements.ts';
import type { Cipher } from '../src/encryption/ciphers.ts';
import { type EventDocument, type StoredEvent, withStoredBody } from '../src/events/event-document.ts';
import { openEventLog } from '../src/events/event-log.ts';

let testStore: TestStore;
let practice: Practice;
let cipher: Cipher;
let stored: Collection<EventDocument>;
beforeAll(async () => {
  testStore = await openTestStore();
  practice = await createPractice(testStore.store);
  cipher = await testStore.store.ciphers.of(practice.organizationId);
  stored = testStore.database.collection('events');
});
afterAll(() => testStore.close());

const makeEvents = (count: number, text = '$name'): StoredEvent[] =>
  Array.from({ length: count }, () => {
    const time = new Date();
    const author = { principal: { kind: 'system' as const, id: 'test' }, requestId: 'test' };
    const record = { clinicId: practice.clinicIds[0], name: text };
    const event = {
      ...newEvent({ _id: newId(time), event: 'patient.created', time, author }, record),
      organizationId: practice.organizationId,
      kind: 'patient' as const,
      recordId: newId(time),
    };
    return withStoredBody(event, cipher);
  });
const idsOf = (events: readonly { _id: string }[]): string[] => events.map(({ _id }) => _id);
const documentsOf = async (events: readonly StoredEvent[]): Promise<Map<string, EventDocument>> => {
  const found = await stored.find({ _id: { $in: idsOf(events) } }).toArray();
  return new Map(found.map((document) => [document._id, document]));
};
const pageFrom = async (since: Date): Promise<string[]> => {
  const { events } = practice.store;
  const filter = { events: ['patient.created'] as const, since, until: await events.end() };
  return idsOf(await Array.fromAsync(events.page(filter, { limit: 100 })));
};

test('an event keeps its place and its retention when a process repeats its work much later', async () => {
  const { events } = testStore.store.everyOrganization;
  const made = makeEvents(5);
  await events.enter(made);
  const before = await documentsOf(made);
  await events.enter(made.map((event) => withStoredBody({ ...event, body: '"other"' }, cipher)));
  expect(await documentsOf(made)).toEqual(before);
  for (const { _id, insertedAt, retainUntil, body } of before.values()) {
    expect(retainUntil.getTime() - (insertedAt?.getTime() ?? 0)).toBe(30 * 86_400_000 + 3_600_000);
    const text = await events.open({ _id, organizationId: practice.organizationId, body });
    expect(JSON.parse(text).data.name).toBe('$name');
  }
});

test('an event that enters later comes after the events that were already read', async () => {
  const { events } = testStore.store.everyOrganization;
  const since = await databaseTime(new Database(testStore.database as Db));
  const [late, early] = [makeEvents(1), makeEvents(1)];
  await events.enter(early);
  await expect.poll(() => pageFrom(since)).toEqual(idsOf(early));
  await events.enter([...early, ...late]);
  await expect.poll(() => pageFrom(since)).toEqual(idsOf([...early, ...late]));
});

test('an event that was stored without entering the log enters it once', async () => {
  const { events } = testStore.store.everyOrganization;
  const made = makeEvents(1);
  const retainUntil = new Date();
  await stored.insertMany(made.map((event) => ({ ...event, retainUntil })));
  await events.enter(made);
  expect([...(await documentsOf(made)).values()]).toMatchObject([{ insertedAt: expect.any(Date) }]);
});

test('enters smaller groups when the database takes too long for a whole group', async () => {
  const made = makeEvents(9, 'x'.repeat(100_000));
  const sizes: number[] = [];
  // Simulates a database time limit that is too short for more than two events.
  const slow = new Proxy(stored, {
    get: (target, name) =>
      name !== 'bulkWrite'
        ? Reflect.get(target, name).bind?.(target)
        : (updates: Parameters<typeof target.bulkWrite>[0], options: object) => {
            sizes.push(updates.length);
            return target.bulkWrite(updates, { ...options, ...(updates.length > 2 && { maxTimeMS: 1 }) });
          },
  });
  const deliveries = testStore.database.collection<DeliveryDocument>('deliveries');
  const log = openEventLog(
    slow,
    testStore.database.collection('organizations'),
    eventUsesIn(deliveries),
    testStore.store.ciphers,
  );
  await log.enter(made);
  expect(sizes).toEqual([9, 5, 3, 2, 1, 2, 4, 2, 2]);
  const entered = [...(await documentsOf(made)).values()].map(({ insertedAt }) => insertedAt);
  expect(entered).toEqual(Array(9).fill(expect.any(Date)));
});

test('how far the log has expired is stored for each organization before an event is deleted, and only grows', async () => {
  await stored.deleteMany({});
  const organizations = testStore.database.collection('organizations');
  const ids = ['expiring', 'other', 'untouched'];
  await organizations.insertMany(ids.map((_id) => ({ _id })));
  const time = new Date(2020, 0, 1);
  const event = (organizationId: string, _id: string, insertedAt?: Date) =>
    ({ _id, organizationId, retainUntil: new Date(0), ...(insertedAt && { insertedAt }) }) as EventDocument;
  await stored.insertMany([
    event('expiring', 'b', time),
    event('expiring', 'c', time),
    event('expiring', 'a', new Date(time.getTime() - 1)),
    event('other', 'd', time),
    // The event of a test delivery.
    event('untouched', 'e'),
  ]);
  const read = async () => Promise.all(ids.map((id) => testStore.store.organization(id).events.expiredTo()));
  const failing = new Proxy(stored, {
    get: (target, name) =>
      name === 'deleteMany'
        ? () => Promise.reject(new Error('crashed'))
        : Reflect.get(target, name).bind?.(target),
  });
  const uses = eventUsesIn(testStore.database.collection<DeliveryDocument>('deliveries'));
  const crashing = openEventLog(
    failing,
    testStore.database.collection('organizations'),
    uses,
    testStore.store.ciphers,
  );
  await expect(crashing.expire(new Date(), 100)).rejects.toThrow('crashed');
  expect(await read()).toEqual([{ time, _id: 'c' }, { time, _id: 'd' }, undefined]);
  expect(await testStore.store.everyOrganization.events.expire(new Date(), 100)).toBe(5);
  await stored.insertOne(event('expiring', 'f', new Date(time.getTime() - 5)));
  expect(await testStore.store.everyOrganization.events.expire(new Date(), 100)).toBe(1);
  expect(await read()).toEqual([{ time, _id: 'c' }, { time, _id: 'd' }, undefined]);
});

test('two processes may store the same events in any order at the same time', async () => {
  const { events } = testStore.store.everyOrganization;
  const made = makeEvents(200);
  const orders = [made, made.toReversed(), made];
  await Promise.all(orders.map((order) => events.enter(order)));
  expect((await documentsOf(made)).size).toBe(200);
});
