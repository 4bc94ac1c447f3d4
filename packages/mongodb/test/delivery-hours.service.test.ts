import { type DeliveryStatistics, DURATION_BOUNDS_MS } from '@chairside/domain';
import type { Collection } from 'mongodb';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestStore, type TestStore } from '../../test-support/src/index.ts';
import type { DeliveryDocument, NewDelivery, Outcome } from '../src/deliveries/deliveries.ts';
import { type HourProgressDocument, openDeliveryHours } from '../src/statistics/delivery-hours.ts';
import { createHourComputation, type DeliveryHourDocument } from '../src/statistics/hour-rows.ts';
import { openSubscriptionIds } from '../src/subscriptions/subscription-ids.ts';

const HOUR = 3_600_000;
const LIFE = 30 * 24 * HOUR;
const thisHour = Math.floor(Date.now() / HOUR) * HOUR;
/** A time in the hour that began this many hours before the current hour. */
const ago = (hours: number, milliseconds = 0) => new Date(thisHour - hours * HOUR + milliseconds);
/**
 * The current time of these tests. It is fixed within the hour, so that the tests do not fail at the end of an hour.
 */
const now = () => ago(0, 10);

let testStore: TestStore;
let deliveries: Collection<DeliveryDocument>;
let rows: Collection<DeliveryHourDocument>;
let progress: Collection<HourProgressDocument>;
let subscriptions: Collection;
beforeAll(async () => {
  testStore = await openTestStore();
  deliveries = testStore.database.collection<DeliveryDocument>('deliveries');
  rows = testStore.database.collection<DeliveryHourDocument>('deliveryHours');
  progress = testStore.database.collection<HourProgressDocument>('hourProgress');
  subscriptions = testStore.database.collection('subscriptions');
});
beforeEach(async () => {
  await Promise.all([deliveries, rows, progress, subscriptions].map((each) => each.deleteMany({})));
  await plantSubscriptions([
    'sub',
    ...['own', 'other'].flatMap((id) => [0, 1, 2, 3, 4].map((n) => `${id}-${n}`)),
  ]);
});
afterAll(() => testStore.close());

const plantSubscriptions = (ids: readonly string[]) =>
  subscriptions.insertMany(
    ids.map((_id) => ({ _id: _id as never, organizationId: 'own', clinicId: 'clinic', slot: _id })),
  );

/** Opens the statistics as a separate process does. */
const open = (collections: Partial<{ rows: typeof rows }> = {}) =>
  openDeliveryHours(
    collections.rows ?? rows,
    progress,
    deliveries,
    openSubscriptionIds(
      testStore.database.collection('subscriptions'),
      testStore.database.collection('deletedSubscriptions'),
    ),
  );
const closeAll = async (hours = open(), endedBefore = ago(0)): Promise<number> => {
  let closed = 0;
  while (await hours.closeNext(endedBefore, now())) closed++;
  return closed;
};

let counter = 0;
const final = (finalTime: Date, more: Partial<DeliveryDocument> = {}): DeliveryDocument => ({
  _id: `event-${counter++}`,
  organizationId: 'own',
  clinicId: 'clinic',
  subscriptionId: 'sub',
  eventId: 'event',
  event: 'patient.created',
  kind: 'event',
  status: 'succeeded',
  createdTime: finalTime,
  attemptTime: finalTime,
  duration: 12,
  finalTime,
  expireAt: new Date(finalTime.getTime() + LIFE),
  ...more,
});

const read = async (
  organizationId = 'own',
  filter: Partial<{ clinicId: string; subscriptionId: string; since: Date; until: Date }> = {},
): Promise<DeliveryStatistics[]> => {
  const { statistics } = testStore.store.organization(organizationId);
  const page = statistics.page({ since: ago(100), until: ago(-1), ...filter }, undefined, 1000);
  return (await Array.fromAsync(page)).map((row) => row.statistics);
};

/** Counts the deliveries with the simplest algorithm, for comparison. */
const countDirectly = (all: readonly DeliveryDocument[], organizationId: string): DeliveryStatistics[] => {
  const own = all.filter((each) => each.organizationId === organizationId && each.kind === 'event');
  const hourOf = ({ finalTime }: DeliveryDocument) =>
    new Date(Math.floor(Number(finalTime) / HOUR) * HOUR).toISOString();
  const groups = Map.groupBy(own, (each) => `${hourOf(each)}-${each.subscriptionId}`);
  return [...groups]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, group]) => {
      const with_ = (status: string) => group.filter((each) => each.status === status).length;
      const durations = Array<number>(24).fill(0);
      for (const { duration, cause } of group) {
        if (duration === undefined || cause === 'configuration') continue;
        const bucket = DURATION_BOUNDS_MS.findIndex((bound) => duration <= bound);
        const place = bucket === -1 ? 23 : bucket;
        durations[place] = (durations[place] ?? 0) + 1;
      }
      const causes: Record<string, number> = {};
      for (const { cause } of group) if (cause !== undefined) causes[cause] = (causes[cause] ?? 0) + 1;
      const [first] = group as [DeliveryDocument];
      return {
        hour: hourOf(first),
        clinicId: first.clinicId,
        subscriptionId: first.subscriptionId,
        succeeded: with_('succeeded'),
        failed: with_('failed'),
        skipped: with_('skipped'),
        interrupted: with_('interrupted'),
        causes,
        durations,
        complete: true,
      };
    });
};

/** Stores deliveries of two organizations in four hours, with every outcome and every duration bucket. */
const plant = async (): Promise<DeliveryDocument[]> => {
  const durations = [0, 0.4, ...DURATION_BOUNDS_MS.flatMap((bound) => [bound, bound + 0.1]), 9999];
  const planted = Array.from({ length: 600 }, (_, index): DeliveryDocument => {
    const finalTime = ago((index % 4) + 2, (index * 7919) % HOUR);
    const organizationId = index % 3 === 0 ? 'other' : 'own';
    const subscriptionId = `${organizationId}-${index % 5}`;
    const common = { organizationId, subscriptionId, clinicId: `clinic-${index % 5}` };
    const duration = durations[index % durations.length] ?? 0;
    const kind = index % 17 === 0 ? 'test' : 'event';
    const made = final(finalTime, { ...common, kind, duration });
    const { duration: _none, attemptTime: _never, ...unsent } = made;
    if (index % 7 === 0) return { ...unsent, status: 'skipped', cause: 'subscription_disabled' };
    if (index % 11 === 0) return { ...unsent, status: 'interrupted' };
    if (index % 13 === 0) return { ...made, status: 'failed', cause: 'configuration', duration: 0 };
    if (index % 5 === 0) return { ...made, status: 'failed', cause: index % 2 === 0 ? 'timeout' : 'status' };
    return made;
  });
  // These deliveries ended at the limits of an hour, and of the slices in which an hour is counted.
  const bounds = [0, 1, 299_999, 300_000, HOUR - 1].map((offset) => final(ago(2, offset)));
  const all = [...planted, ...bounds];
  await deliveries.insertMany(all);
  return all;
};

test('the rows of closed hours equal a direct count for each organization, and closing an hour again changes nothing', async () => {
  const all = await plant();
  expect(await closeAll()).toBe(4);
  for (const organizationId of ['own', 'other'])
    expect(await read(organizationId)).toEqual(countDirectly(all, organizationId));
  expect(await read('nobody')).toEqual([]);
  expect(JSON.stringify(await read('own'))).not.toContain('other-');

  const stored = await rows.find({}, { sort: { _id: 1 } }).toArray();
  expect(await closeAll()).toBe(0);
  await progress.updateOne({}, { $set: { closedTo: ago(10) } });
  expect(await closeAll()).toBe(4);
  const again = await rows.find({}, { sort: { _id: 1 } }).toArray();
  const counts = (documents: typeof stored) => documents.map(({ revision: _, ...row }) => row);
  expect(counts(again)).toEqual(counts(stored));
});

test('filters rows by clinic, subscription and time, and continues a page at any row', async () => {
  const all = countDirectly(await plant(), 'own');
  await closeAll();
  expect(await read('own', { clinicId: 'clinic-2' })).toEqual(
    all.filter((row) => row.clinicId === 'clinic-2'),
  );
  const subscriptionId = 'own-4';
  expect(await read('own', { subscriptionId })).toEqual(
    all.filter((row) => row.subscriptionId === subscriptionId),
  );
  expect(await read('own', { subscriptionId, clinicId: 'clinic-2' })).toEqual([]);
  const within = { since: ago(4), until: ago(2) };
  const isWithin = ({ hour }: DeliveryStatistics) =>
    hour === ago(4).toISOString() || hour === ago(3).toISOString();
  expect(await read('own', within)).toEqual(all.filter(isWithin));
  // If a period does not begin with an hour, it contains the hours that begin in it.
  expect(await read('own', { since: ago(4, 1), until: ago(2, 1) })).toEqual(
    all.filter(({ hour }) => hour === ago(3).toISOString() || hour === ago(2).toISOString()),
  );

  const { statistics } = testStore.store.organization('own');
  const seen: DeliveryStatistics[] = [];
  for (let after: string | undefined; ; ) {
    const page = await Array.fromAsync(statistics.page({ since: ago(100), until: ago(-1) }, after, 3));
    seen.push(...page.map((row) => row.statistics));
    after = page.at(-1)?._id;
    if (page.length < 3) break;
  }
  expect(seen).toEqual(all);
});

test('hours that are not closed are counted when they are read', async () => {
  const closed = final(ago(2, 5));
  const opened = [final(ago(1, 5)), final(ago(0, 1), { createdTime: ago(20) }), final(ago(0, 2))];
  await deliveries.insertMany([closed, ...opened]);
  await closeAll(open(), ago(1));
  const direct = countDirectly([closed, ...opened], 'own');
  const expected = direct.map((row, index) => ({ ...row, complete: index === 0 }));
  expect(await read()).toEqual(expected);
  expect(await read('own', { since: ago(1) })).toEqual(expected.slice(1));
  expect(await read('own', { until: ago(1, 1) })).toEqual(expected.slice(0, 2));
  expect(await read('own', { clinicId: 'elsewhere' })).toEqual([]);
  expect(await read('own', { subscriptionId: 'sub' })).toEqual(expected);
  const { statistics } = testStore.store.organization('own');
  const after = (await Array.fromAsync(statistics.page({ since: ago(9), until: ago(-1) }, undefined, 2))).at(
    -1,
  );
  const rest = await Array.fromAsync(statistics.page({ since: ago(9), until: ago(-1) }, after?._id, 2));
  expect(rest.map((row) => row.statistics)).toEqual(expected.slice(2));
});

const claimed = async (): Promise<NewDelivery & { token: string }> => {
  const { everyOrganization } = testStore.store;
  const { status: _, createdTime: __, attemptTime, duration, finalTime, expireAt, ...made } = final(now());
  await everyOrganization.deliveries.insert([made], ago(3));
  const [got] = await everyOrganization.deliveries.claim([made], `token-${counter}`, 'worker');
  if (got === undefined) throw new Error('a new delivery cannot be claimed');
  return got;
};
const attempt = { attemptTime: now(), duration: 3, timings: {} };
const succeeded: Outcome = { ...attempt, outcome: 'succeeded' };
const failed: Outcome = { ...attempt, outcome: 'failed', cause: 'dns', reason: 'no' };
const numbers = async () =>
  (await read()).map(({ hour, succeeded: s, failed: f, skipped, interrupted }) => [
    (thisHour - Date.parse(hour)) / HOUR,
    { s, f, skipped, interrupted },
  ]);

test('an outcome that replaces an interruption reopens the hour of the interruption', async () => {
  const { everyOrganization } = testStore.store;
  const [late, other] = [await claimed(), await claimed()];
  await everyOrganization.deliveries.interrupt(new Date(Date.now() + HOUR), ago(2, 5));
  await closeAll();
  expect(await numbers()).toEqual([[2, { s: 0, f: 0, skipped: 0, interrupted: 2 }]]);
  await everyOrganization.deliveries.finish([{ delivery: late, outcome: succeeded }], now());
  const hours = open();
  expect(await hours.recompute(now(), 10)).toBe(1);
  expect(await hours.recompute(now(), 10)).toBe(0);
  expect(await numbers()).toEqual([
    [2, { s: 0, f: 0, skipped: 0, interrupted: 1 }],
    [0, { s: 1, f: 0, skipped: 0, interrupted: 0 }],
  ]);
  // The last delivery leaves the hour, so its row is omitted.
  await everyOrganization.deliveries.finish([{ delivery: other, outcome: failed }], now());
  expect(await hours.recompute(now(), 10)).toBe(1);
  expect(await numbers()).toEqual([[0, { s: 1, f: 1, skipped: 0, interrupted: 0 }]]);
});

test('deliveries that are requeued because of an outage leave their hours', async () => {
  const { everyOrganization } = testStore.store;
  const [sent, queued] = [await claimed(), await claimed()];
  await everyOrganization.deliveries.finish([{ delivery: sent, outcome: failed }], ago(2, 5));
  await everyOrganization.deliveries.release([queued]);
  await everyOrganization.deliveries.skipQueued('sub', 'subscription_disabled', ago(2, 6));
  await closeAll();
  expect(await numbers()).toEqual([[2, { s: 0, f: 1, skipped: 1, interrupted: 0 }]]);
  await everyOrganization.deliveries.release([sent]);
  await everyOrganization.deliveries.requeueSkipped('sub', ago(2));
  expect(await deliveries.countDocuments({ status: 'queued' })).toBe(2);
  expect(await open().recompute(now(), 10)).toBe(1);
  expect(await numbers()).toEqual([]);
  expect(await deliveries.countDocuments({ reopened: { $exists: true } })).toBe(0);
});

test('an outcome that is stored long after it became known is counted in its closed hour', async () => {
  const { everyOrganization } = testStore.store;
  const delivery = await claimed();
  await closeAll();
  await everyOrganization.deliveries.finish([{ delivery, outcome: succeeded }], ago(2, 5));
  expect(await numbers()).toEqual([]);
  expect(await open().recompute(now(), 10)).toBe(1);
  expect(await numbers()).toEqual([[2, { s: 1, f: 0, skipped: 0, interrupted: 0 }]]);
});

test('a change in an hour that has ended and is not closed yet waits until the hour is closed', async () => {
  const hours = open();
  await deliveries.insertMany([final(ago(1, 5), { reopened: [ago(1, 5), ago(0)] }), final(ago(3, 5))]);
  await closeAll(hours, ago(1));
  expect(await hours.recompute(now(), 10)).toBe(0);
  expect(await deliveries.findOne({ reopened: { $exists: true } })).toMatchObject({ reopened: [ago(1, 5)] });
  await closeAll(hours);
  expect(await hours.recompute(now(), 10)).toBe(1);
  expect(await deliveries.countDocuments({ reopened: { $exists: true } })).toBe(0);
});

test('an hour is closed in steps, and another process continues where one has ended', async () => {
  const ids = Array.from({ length: 250 }, (_, index) => `many-${String(index).padStart(3, '0')}`);
  await plantSubscriptions(ids);
  const all = ids.map((subscriptionId, index) => final(ago(2, index), { subscriptionId }));
  await deliveries.insertMany(all);
  // Each step is done by another process.
  expect(await open().closeNext(ago(0), now())).toBe(true);
  const counted = await rows.countDocuments();
  expect(counted).toBeGreaterThan(0);
  expect(counted).toBeLessThan(ids.length);
  // The hour is not closed yet, so it is counted when it is read.
  expect((await read()).map(({ complete }) => complete)).toEqual(ids.map(() => false));
  expect(await open().closeNext(ago(0), now())).toBe(true);
  const stored = await rows.find({}, { sort: { _id: 1 } }).toArray();
  expect(stored.length).toBeGreaterThan(counted);
  expect(stored.map(({ revision }) => revision)).toEqual(
    stored.map((_row, index) => (index < counted ? 1 : 2)),
  );
  expect(await closeAll()).toBe(1);
  expect(await read()).toEqual(countDirectly(all, 'own'));
  expect(await progress.findOne({})).not.toHaveProperty('counting');
});

test('the deliveries of a subscription that was deleted before its hour was closed are counted', async () => {
  const { subscriptions: own } = testStore.store.organization('own');
  const made = await own.create(
    { clinicId: 'clinic', url: 'https://example.com', events: ['patient.created'], active: true },
    now(),
  );
  const subscriptionId = made?._id ?? '';
  await deliveries.insertOne(final(ago(2, 5), { subscriptionId }));
  await own.delete(subscriptionId);
  await closeAll();
  expect(await read()).toMatchObject([{ subscriptionId, succeeded: 1, complete: true }]);
});

test('a late outcome computes only the row of its subscription again', async () => {
  await deliveries.insertMany([
    final(ago(2, 5)),
    final(ago(2, 5), { subscriptionId: 'own-1' }),
    final(ago(3, 5), { subscriptionId: 'own-2' }),
  ]);
  await closeAll();
  const revisions = async () =>
    new Map((await rows.find().toArray()).map(({ _id, revision }) => [_id, revision]));
  const before = await revisions();
  await deliveries.insertOne(final(ago(2, 6), { reopened: [ago(2, 6)] }));
  expect(await open().recompute(now(), 10)).toBe(1);
  const after = await revisions();
  expect([...after.keys()].filter((id) => after.get(id) !== before.get(id))).toEqual([
    `${ago(2).toISOString()}-sub`,
  ]);
  expect(await read('own', { subscriptionId: 'sub' })).toMatchObject([{ succeeded: 2 }]);
});

test('a period with more deliveries than one statement counts is counted in parts', async () => {
  const all = await plant();
  // These became final in the same millisecond, so they cannot be counted in parts.
  const together = Array.from({ length: 8 }, () => final(ago(2, 7)));
  await deliveries.insertMany(together);
  const compute = createHourComputation(rows, deliveries, async () => 1, 5);
  await progress.insertOne({ _id: 'deliveryHours', closedTo: ago(0), revision: 1 });
  const ids = (await subscriptions.find().toArray()).map(({ _id }) => String(_id));
  for (const hour of [2, 3, 4, 5]) await compute(ago(hour), ids);
  for (const organizationId of ['own', 'other'])
    expect(await read(organizationId)).toEqual(countDirectly([...all, ...together], organizationId));
});

test('two processes that close the same hours at once write the same rows', async () => {
  const all = await plant();
  await Promise.all([closeAll(), closeAll(), closeAll()]);
  expect(await read()).toEqual(countDirectly(all, 'own'));
  expect((await progress.findOne({}))?.closedTo).toEqual(ago(0));
});

test('a computation that finishes after a later one does not replace the rows of the later one', async () => {
  const { everyOrganization } = testStore.store;
  const late = await claimed();
  await everyOrganization.deliveries.interrupt(new Date(Date.now() + HOUR), ago(2, 5));
  const reached = Promise.withResolvers<void>();
  const overtaken = Promise.withResolvers<void>();
  // Simulates a process that is paused after it has counted, before it stores the rows.
  const paused: typeof rows = Object.create(rows, {
    bulkWrite: {
      value: async (...given: Parameters<typeof rows.bulkWrite>) => {
        reached.resolve();
        await overtaken.promise;
        return rows.bulkWrite(...given);
      },
    },
  });
  const slow = closeAll(open({ rows: paused }));
  await reached.promise;
  await closeAll();
  await everyOrganization.deliveries.finish([{ delivery: late, outcome: succeeded }], now());
  expect(await open().recompute(now(), 10)).toBe(1);
  overtaken.resolve();
  await slow;
  expect(await numbers()).toEqual([[0, { s: 1, f: 0, skipped: 0, interrupted: 0 }]]);
  expect(await rows.find({ interrupted: { $gt: 0 } }).toArray()).toEqual([]);
});

test('of two computations that insert a row at the same moment, the row of the later one stays', async () => {
  await deliveries.insertOne(final(ago(2, 5)));
  const stored = Promise.withResolvers<void>();
  const counted = Promise.withResolvers<void>();
  const whenWritten = (write: typeof rows.bulkWrite): typeof rows =>
    Object.create(rows, { bulkWrite: { value: write } });
  const earlier = createHourComputation(
    whenWritten(async (...given) => {
      counted.resolve();
      await stored.promise;
      return rows.bulkWrite(...given);
    }),
    deliveries,
    async () => 1,
  )(ago(2), ['sub']);
  await counted.promise;
  await deliveries.insertOne(final(ago(2, 6)));
  let isRefused = false;
  // MongoDB refuses an upsert if another caller inserts the document after the upsert has looked for it.
  const refusing = whenWritten(async (...given) => {
    if (isRefused) return rows.bulkWrite(...given);
    isRefused = true;
    stored.resolve();
    await earlier;
    await rows.insertMany(await rows.find().toArray(), { ordered: false });
    throw new Error('the row exists');
  });
  await createHourComputation(refusing, deliveries, async () => 2)(ago(2), ['sub']);
  expect(await rows.find().toArray()).toMatchObject([{ succeeded: 2, revision: 2 }]);
});

test('begins with the first hour whose deliveries are all still stored, and skips hours without deliveries', async () => {
  const oldest = new Date(now().getTime() - LIFE);
  await deliveries.insertMany([
    // Some deliveries of this hour have expired already.
    final(new Date(oldest.getTime() + 1000)),
    final(new Date(oldest.getTime() + 2 * HOUR)),
    final(ago(2, 5)),
  ]);
  expect(await closeAll()).toBe(2);
  expect(await read('own', { since: new Date(0) })).toHaveLength(2);
  expect((await progress.findOne({}))?.revision).toBe(2);
  const [row] = await rows.find({}, { sort: { _id: -1 } }).toArray();
  expect(row?.expireAt).toEqual(new Date(ago(1).getTime() + LIFE));
});
