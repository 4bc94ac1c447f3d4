import { type Event, newEvent, newId } from '@chairside/domain';
import type { Collection } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createPractice,
  openTestStore,
  type Practice,
  type TestStore,
} from '../../test-support/src/index.ts';
import type { DeliveryDocument } from '../src/deliveries.ts';
import { type EventDocument, openEventLog } from '../src/events.ts';

let testStore: TestStore;
let practice: Practice;
let stored: Collection<EventDocument>;
beforeAll(async () => {
  testStore = await openTestStore();
  practice = await createPractice(testStore.store);
  stored = testStore.database.collection('events');
});
afterAll(() => testStore.close());

const makeEvents = (count: number, text = '$name'): Event[] =>
  Array.from({ length: count }, () => {
    const time = new Date();
    const author = { principal: { kind: 'system' as const, id: 'test' }, requestId: 'test' };
    const record = { clinicId: practice.clinicIds[0], name: text };
    return {
      ...newEvent({ _id: newId(time), event: 'patient.created', time, author }, record),
      organizationId: practice.organizationId,
      kind: 'patient',
      recordId: newId(time),
    };
  });
const idsOf = (events: readonly { _id: string }[]): string[] => events.map(({ _id }) => _id);
const stampsOf = async (events: readonly Event[]): Promise<Map<string, EventDocument>> => {
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
  const clock = await events.clock();
  await events.insert(made, clock);
  await events.stamp(made);
  const before = await stampsOf(made);
  // A process that was paused for an hour continues with the time it had read.
  const old = { time: new Date(clock.time.getTime() - 3_600_000), readAt: clock.readAt - 3_600_000 };
  await events.insert(made, old);
  await events.stamp(made);
  expect(await stampsOf(made)).toEqual(before);
  for (const { insertedAt, retainUntil, body } of before.values()) {
    expect(retainUntil.getTime() - (insertedAt?.getTime() ?? 0)).toBe(30 * 86_400_000);
    expect(JSON.parse(body).data.name).toBe('$name');
  }
});

test('an event without a stamp is not listed; a later stamp puts it after the events already read', async () => {
  const { events } = testStore.store.everyOrganization;
  const since = (await events.clock()).time;
  const [late, early] = [makeEvents(1), makeEvents(1)];
  await events.insert(late, { time: since });
  await events.insert(early, { time: since });
  await events.stamp(early);
  await expect.poll(() => pageFrom(since)).toEqual(idsOf(early));
  await events.stamp([...early, ...late]);
  await expect.poll(() => pageFrom(since)).toEqual(idsOf([...early, ...late]));
});

test('an event that is never stamped is deleted after 30 days', async () => {
  const { events } = testStore.store.everyOrganization;
  const made = makeEvents(1);
  await events.insert(made, { time: new Date(Date.now() - 31 * 86_400_000) });
  expect(await events.expire(new Date(), 500)).toBe(1);
  expect((await stampsOf(made)).size).toBe(0);
});

test('stamps in smaller groups when the database takes too long for all', async () => {
  const made = makeEvents(9, 'x'.repeat(100_000));
  const sizes: number[] = [];
  // The database's own time limit, too short for more than two events.
  const slow = new Proxy(stored, {
    get: (target, name) =>
      name !== 'updateMany'
        ? Reflect.get(target, name).bind?.(target)
        : (filter: { _id: { $in: string[] } }, update: object[], options: object) => {
            sizes.push(filter._id.$in.length);
            return target.updateMany(filter as object, update, {
              ...options,
              ...(filter._id.$in.length > 2 && { maxTimeMS: 1 }),
            });
          },
  });
  const deliveries = testStore.database.collection<DeliveryDocument>('deliveries');
  const log = openEventLog(testStore.database, slow, deliveries);
  await log.insert(made, await log.clock());
  await log.stamp(made);
  expect(sizes).toEqual([9, 5, 3, 2, 1, 2, 4, 2, 2]);
  const stamps = [...(await stampsOf(made)).values()].map(({ insertedAt }) => insertedAt);
  expect(stamps).toEqual(Array(9).fill(expect.any(Date)));
});

test('two processes may store the same events in any order at the same time', async () => {
  const { events } = testStore.store.everyOrganization;
  const made = makeEvents(200);
  const clock = await events.clock();
  const orders = [made, made.toReversed(), made];
  await Promise.all(orders.map((order) => events.insert(order, clock)));
  expect((await stampsOf(made)).size).toBe(200);
});
