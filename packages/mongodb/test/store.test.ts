import { randomBytes } from 'node:crypto';
import { SettingsError } from '@chairside/domain';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestStore, type TestStore } from '../../test-practice/src/index.ts';
import { isDatabaseAway } from '../src/database.ts';
import { type EveryOrganization, openStore } from '../src/store.ts';

let testStore: TestStore;
beforeAll(async () => {
  testStore = await openTestStore();
});
afterAll(() => testStore.close());

const never = (error: unknown) => {
  throw error;
};

test('a wrong encryption key fails at start, with a sentence; the right one among several passes', async () => {
  const wrong = `test:${randomBytes(32).toString('base64')}`;
  const other = openStore({ url: testStore.url, encryptionKeys: wrong, appName: 'test' });
  await expect(other.prepare(never)).rejects.toBeInstanceOf(SettingsError);
  await other.close();
  const encryptionKeys = `new:${randomBytes(32).toString('base64')},${testStore.encryptionKeys}`;
  const rotated = openStore({ url: testStore.url, encryptionKeys, appName: 'test' });
  await rotated.prepare(never);
  await rotated.close();
});

test('several processes may prepare one new database at once', async () => {
  const fresh = await openTestStore();
  await fresh.database.dropDatabase();
  const { url, encryptionKeys } = fresh;
  const stores = Array.from({ length: 4 }, () => openStore({ url, encryptionKeys, appName: 'test' }));
  await Promise.all(stores.map((store) => store.prepare(never)));
  await Promise.all(stores.map((store) => store.close()));
  await fresh.close();
});

test('a lease belongs to one worker, until it has passed', async () => {
  const { lanes } = testStore.store.everyOrganization;
  expect(await lanes.lease('sweep', 'one', 60_000)).toBeInstanceOf(Date);
  expect(await lanes.lease('sweep', 'one', 60_000)).toBeInstanceOf(Date);
  expect(await lanes.lease('sweep', 'other', 60_000)).toBeUndefined();
  const past = { $set: { until: new Date(0) } };
  await testStore.database.collection('leases').updateOne({ _id: 'sweep' as never }, past);
  const taken = await Promise.all(['a', 'b', 'c', 'd'].map((worker) => lanes.lease('sweep', worker, 60_000)));
  expect(taken.filter((time) => time !== undefined)).toHaveLength(1);
});

test('of many callers one claims a Delivery, and only the holder of its token says how it ended', async () => {
  const { deliveries } = testStore.store.everyOrganization;
  const delivery = {
    _id: 'delivery',
    organizationId: 'o',
    clinicId: 'c',
    subscriptionId: 's',
    eventId: 'e',
    event: 'patient.created',
    kind: 'event' as const,
  };
  await deliveries.insert([delivery], new Date());
  await deliveries.insert([delivery, { ...delivery, _id: 'other' }], new Date());
  const claims = await Promise.all(
    Array.from({ length: 20 }, (_, caller) => deliveries.claim(['delivery'], `token-${caller}`, 'worker')),
  );
  const [claimed, ...others] = claims.flat();
  expect(others).toEqual([]);
  const read = () => testStore.database.collection('deliveries').findOne({ _id: 'delivery' as never });
  if (claimed === undefined) throw new Error('nobody claimed it');
  const attempt = { attemptTime: new Date(), duration: 1, timings: {} };

  await deliveries.finish(
    [{ delivery: { ...claimed, token: 'forged' }, outcome: { ...attempt, outcome: 'succeeded' } }],
    new Date(),
  );
  expect(await read()).toMatchObject({ status: 'sending' });
  expect(await deliveries.interrupt(new Date(Date.now() + 60_000), new Date())).toBe(1);
  expect(await read()).toMatchObject({ status: 'interrupted' });
  await deliveries.finish(
    [{ delivery: claimed, outcome: { ...attempt, outcome: 'succeeded', statusCode: 200 } }],
    new Date(),
  );
  expect(await read()).toMatchObject({ status: 'succeeded', statusCode: 200 });
  expect(await deliveries.interrupt(new Date(Date.now() + 60_000), new Date())).toBe(0);
});

test('a group of writes that does not reach the database fails, and is known to have failed for that', async () => {
  const { encryptionKeys } = testStore;
  const ids = { _id: 'd', organizationId: 'o', clinicId: 'c', subscriptionId: 's', eventId: 'e' };
  const delivery = { ...ids, event: 'patient.created', kind: 'event' as const };
  const attempt = { attemptTime: new Date(), duration: 1, timings: {}, outcome: 'succeeded' as const };
  const event = {
    _id: 'e',
    organizationId: 'o',
    event: 'patient.created' as const,
    kind: 'patient' as const,
    recordId: 'r',
    clinicIds: ['c'],
    time: new Date(),
    principal: { kind: 'system' as const, id: 'test' },
    requestId: 'q',
    body: '{}',
  };
  const writes: ((store: EveryOrganization) => Promise<unknown>)[] = [
    ({ deliveries }) => deliveries.insert([delivery], new Date()),
    ({ deliveries }) =>
      deliveries.finish([{ delivery: { ...delivery, token: 't' }, outcome: attempt }], new Date()),
    ({ outbox }) => outbox.takeOut([event]),
  ];
  for (const write of writes) {
    const away = openStore({ url: 'mongodb://127.0.0.1:1/x', encryptionKeys, appName: 'test' });
    const error = await write(away.everyOrganization).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(isDatabaseAway(error)).toBe(true);
    await away.close();
  }
});
