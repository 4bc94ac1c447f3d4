import { randomBytes } from 'node:crypto';
import dns from 'node:dns/promises';
import { type FailureCause, newId } from '@chairside/domain';
import { SettingsError, UnusableDatabaseError } from '@chairside/startup';
import { type Document, MongoServerError } from 'mongodb';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  createKey,
  createPractice,
  openEmptyDatabase,
  openTestStore,
  startDatabaseProxy,
  type TestStore,
} from '../../test-support/src/index.ts';
import type { CommandListener } from '../src/connection/client.ts';
import { withDatabase } from '../src/connection/connection-string.ts';
import type { DeliveryDocument } from '../src/deliveries/deliveries.ts';
import { type DeliveryLogParts, deliveryLogOf } from '../src/deliveries/delivery-log.ts';
import { MAX_RUNNING_REDELIVERIES, type RedeliveryDocument } from '../src/deliveries/redeliveries.ts';
import { isDatabaseInTheMaking, untilMade } from '../src/driver/ferretdb.ts';
import { isDatabaseUnavailable } from '../src/driver/unavailable.ts';
import { noCipher } from '../src/encryption/ciphers.ts';
import type { EveryOrganization } from '../src/stores/whole-store.ts';
import { openWholeStore } from '../src/stores/whole-store.ts';

const PAUSES = { firstMs: 1000, longestMs: 60_000 };

let testStore: TestStore;
beforeAll(async () => {
  testStore = await openTestStore();
});
afterAll(() => testStore.close());

test('a wrong encryption key makes the start fail with a clear message; the right key among several is accepted', async () => {
  const wrong = `test:${randomBytes(32).toString('base64')}`;
  const other = openWholeStore({ url: testStore.url, encryptionKeys: wrong, appName: 'test' });
  await expect(other.prepare()).rejects.toBeInstanceOf(SettingsError);
  await other.close();
  const encryptionKeys = `new:${randomBytes(32).toString('base64')},${testStore.encryptionKeys}`;
  const rotated = openWholeStore({ url: testStore.url, encryptionKeys, appName: 'test' });
  await rotated.prepare();
  await rotated.close();
});

test('a start waits for a cluster with an unknown DNS name', async () => {
  const servers = dns.getServers();
  dns.setServers(['127.0.0.1:1']);
  const store = openWholeStore({
    url: 'mongodb+srv://cluster.example.test/chairside',
    encryptionKeys: testStore.encryptionKeys,
    appName: 'test',
  });
  const ended = new Error('enough');
  const waited: unknown[] = [];
  const preparing = store.prepare({
    onWaiting(error) {
      waited.push(error);
      throw ended;
    },
    onReady: () => {},
  });
  await expect(preparing).rejects.toBe(ended);
  expect(waited).toEqual([expect.objectContaining({ syscall: 'querySrv' })]);
  await store.close();
  dns.setServers(servers);
});

test('a server that is too old makes the start fail with a clear message', async () => {
  const old = await startDatabaseProxy(testStore.url);
  const change = (response: Document) => ({ ...response, version: '4.2.25' });
  old.inject({ matches: (name) => name === 'buildInfo', fault: { kind: 'response', change } });
  const store = openWholeStore({ url: old.url, encryptionKeys: testStore.encryptionKeys, appName: 'test' });
  const error: unknown = await store.prepare().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UnusableDatabaseError);
  expect((error as Error).message).toContain('MongoDB 4.2.25, which is too old');
  await store.close();
  await old.close();
});

test('a start builds no index on a large collection, and waits until somebody else has built it', async () => {
  const large = await openTestStore();
  const lanes = large.database.collection<{ _id: string }>('lanes');
  await lanes.dropIndex('worker');
  await lanes.insertMany(['a', 'b', 'c'].map((_id) => ({ _id })));
  const { encryptionKeys, url } = large;
  const store = openWholeStore({ url, encryptionKeys, appName: 'test', indexBuildMaxDocuments: 2 });
  const waited: unknown[] = [];
  const isWaiting = Promise.withResolvers<void>();
  let isReady = false;
  const preparing = store.prepare({
    onWaiting(error) {
      waited.push(error);
      isWaiting.resolve();
    },
    onReady() {
      isReady = true;
    },
  });
  await isWaiting.promise;
  expect(waited).toEqual([
    expect.objectContaining({
      message: expect.stringMatching(
        /^Missing: lanes\.worker\. .*Build them with: chairside-admin indexes apply$/,
      ),
    }),
  ]);
  await expect(store.prepare()).rejects.toBeInstanceOf(UnusableDatabaseError);
  expect(isReady).toBe(false);
  const builds: unknown[] = [];
  await large.store.everyOrganization.administration.applyIndexes((build) => builds.push(build));
  expect(builds).toEqual([{ name: 'lanes.worker', position: 1, total: 1, documents: expect.any(Number) }]);
  await preparing;
  expect(isReady).toBe(true);
  await store.close();
  await large.close();
});

test('uses the database of the URL, even if its name is test', async () => {
  const used = async (url: string): Promise<string | undefined> => {
    const names: string[] = [];
    const { encryptionKeys } = testStore;
    const onCommand: CommandListener = (_name, { $db }) => names.push($db);
    const store = openWholeStore({ url, encryptionKeys, appName: 'test', onCommand });
    await store.ping();
    await store.close();
    // Further commands only end the session.
    return names[0];
  };
  expect(await used(testStore.url)).toBe(testStore.database.databaseName);
  expect(await used(withDatabase(testStore.url, 'test'))).toBe('test');
  expect(await used(withDatabase(testStore.url, ''))).toBe('chairside');
});

test('with several hosts, one of them unreachable, the store writes to the primary of the set', async () => {
  const primary = await startDatabaseProxy(testStore.url, { replicaSet: true });
  const other = await openTestStore(primary.url.replace('://', '://127.0.0.1:1,'));
  const practice = await createPractice(other.store);
  expect(await practice.store.clinics.exists(practice.clinicIds[0])).toBe(true);
  await other.close();
  await primary.close();
});

test('several processes may prepare a new database at the same time', async () => {
  const { url, encryptionKeys, close } = openEmptyDatabase();
  const stores = Array.from({ length: 4 }, () => openWholeStore({ url, encryptionKeys, appName: 'test' }));
  await Promise.all(stores.map((store) => store.prepare()));
  await Promise.all(stores.map((store) => store.close()));
  await close();
});

test('a lease belongs to one worker until it expires', async () => {
  const { lanes } = testStore.store.everyOrganization;
  expect(await lanes.lease('sweep', 'one', 60_000)).toBeInstanceOf(Date);
  expect(await lanes.lease('sweep', 'one', 60_000)).toBeInstanceOf(Date);
  expect(await lanes.lease('sweep', 'other', 60_000)).toBeUndefined();
  const past = { $set: { until: new Date(0) } };
  await testStore.database.collection('leases').updateOne({ _id: 'sweep' }, past);
  const taken = await Promise.all(['a', 'b', 'c', 'd'].map((worker) => lanes.lease('sweep', worker, 60_000)));
  expect(taken.filter((time) => time !== undefined)).toHaveLength(1);
});

test('a lane names its organization, so that a process that opens it knows whose turn it is', async () => {
  const { lanes } = testStore.store.everyOrganization;
  const refs = ['one', 'two'].map((id) => ({ subscriptionId: id, organizationId: `of-${id}` }));
  await lanes.keepOpen('stopped', refs);
  await lanes.handOver('stopped');
  const dead = (await lanes.dead(new Date(), 10)).filter(({ worker }) => worker === 'stopped');
  expect(dead).toHaveLength(2);
  expect(dead).toEqual(expect.arrayContaining(refs.map((ref) => expect.objectContaining(ref))));
});

test('the sweep finds a redelivery or a test even if the process that created it crashed right afterwards', async () => {
  const { laneRequests, deliveries } = testStore.store.everyOrganization;
  const parts: DeliveryLogParts = {
    collection: testStore.database.collection<DeliveryDocument>('deliveries'),
    redeliveries: testStore.database.collection<RedeliveryDocument>('redeliveries'),
    deliveries,
    laneRequests: { ...laneRequests, request: () => Promise.reject(new Error('kill -9')) },
    events: { has: async () => true, createTest: async () => newId() },
    cipher: async () => noCipher,
  };
  const died = deliveryLogOf(parts, 'o').test(
    { _id: 'tested', clinicId: 'c' },
    { kind: 'operator' },
    new Date(),
  );
  await expect(died).rejects.toThrow('kill -9');
  expect(await deliveries.queued('tested', 10)).toHaveLength(1);
  const ofTested = async () =>
    (await laneRequests.due(new Date(), 10)).filter(({ subscriptionId }) => subscriptionId === 'tested');
  expect(await ofTested()).toEqual([]);
  // Simulates that half a minute has passed. The creator then counts as dead.
  const passed = { $set: { dueTime: new Date(0) } };
  await testStore.database.collection('laneRequests').updateMany({ subscriptionId: 'tested' }, passed);
  expect(await ofTested()).toMatchObject([{ organizationId: 'o' }]);

  await deliveryLogOf({ ...parts, laneRequests }, 'o').test(
    { _id: 'tested', clinicId: 'c' },
    { kind: 'operator' },
    new Date(),
  );
  expect(await ofTested()).toHaveLength(2);
});

test('a stopped bulk redelivery creates no further deliveries, whichever step was in progress', async () => {
  const { redeliveries, deliveries } = testStore.store.everyOrganization;
  const log = testStore.store.organization('stopping').deliveries;
  const range = { since: new Date(0).toISOString(), outcomes: ['failed' as const] };
  const _id = 'redelivery-1';
  expect(await log.redeliverMany(_id, 'receiver-1', range, new Date())).toMatchObject({ _id });
  const [inFlight] = await redeliveries.running(10);
  expect(inFlight?._id).toBe(_id);
  expect(await log.stopRedelivery('another', _id, new Date())).toBeUndefined();
  const stopped = await log.stopRedelivery('receiver-1', _id, new Date());
  expect(stopped).toMatchObject({ state: 'stopped', finalTime: expect.any(String) });
  if (inFlight !== undefined) await redeliveries.advance(inFlight, new Date());
  expect(await redeliveries.running(10)).toEqual([]);
  // A second stop changes nothing.
  expect(await log.stopRedelivery('receiver-1', _id, new Date(0))).toEqual(stopped);
  expect(await deliveries.queued('receiver-1', 10)).toEqual([]);
});

test('the deliveries of a bulk redelivery are counted at each read until none can be added and none waits', async () => {
  const { deliveries } = testStore.store.everyOrganization;
  const log = testStore.store.organization('counting').deliveries;
  const range = { since: new Date(0).toISOString(), outcomes: ['failed' as const] };
  const at = { subscriptionId: 'receiver-1', organizationId: 'counting', clinicId: 'c' };
  const bulkId = 'counted';
  const make = (status: string) =>
    deliveries
      .insert(
        [{ ...at, _id: `e-${status}`, eventId: 'e', event: 'patient.created', kind: 'redelivery', bulkId }],
        new Date(),
      )
      .then(() =>
        testStore.database
          .collection('deliveries')
          .updateOne({ _id: `e-${status}` } as object, { $set: { status } }),
      );
  const read = () => log.findRedelivery('receiver-1', bulkId);
  const hourAgo = new Date(Date.now() - 3_600_000);
  await log.redeliverMany(bulkId, 'receiver-1', range, hourAgo);
  await log.stopRedelivery('receiver-1', bulkId, new Date());
  await make('succeeded');
  // A step that began before the end may still create deliveries.
  expect(await read()).toMatchObject({ waiting: 0, succeeded: 1 });
  const stoppedAt = { $set: { finalTime: hourAgo } };
  await testStore.database.collection('redeliveries').updateOne({ _id: bulkId } as object, stoppedAt);
  await make('sending');
  expect(await read()).toMatchObject({ waiting: 1, succeeded: 1 });
  const become = (status: string) =>
    testStore.database
      .collection('deliveries')
      .updateOne({ _id: 'e-sending' } as object, { $set: { status } });
  await become('interrupted');
  expect(await read()).toMatchObject({ waiting: 0, succeeded: 1, failed: 1 });
  // Its outcome is stored late.
  await become('succeeded');
  expect(await read()).toMatchObject({ waiting: 0, succeeded: 2, failed: 0 });
  await make('failed');
  expect(await read()).toMatchObject({ waiting: 0, succeeded: 2, failed: 0 });
  await testStore.database.collection('deliveries').deleteMany({ bulkId });
});

test('an organization with many bulk redeliveries delays no other one, and cannot have any number of them', async () => {
  const { redeliveries } = testStore.store.everyOrganization;
  const [busy, other] = ['busy', 'other'].map((id) => testStore.store.organization(id).deliveries);
  const range = { since: new Date(0).toISOString(), outcomes: ['failed' as const] };
  const begin = (log: typeof busy, index: number) =>
    log?.redeliverMany(`many-${index}`, `receiver-${index % 20}`, range, new Date());
  await begin(other, MAX_RUNNING_REDELIVERIES);
  const steps = { $set: { steps: 1000 } };
  await testStore.database.collection('redeliveries').updateMany({ organizationId: 'other' }, steps);
  for (let index = 0; index < MAX_RUNNING_REDELIVERIES; index++) await begin(busy, index);
  expect((await redeliveries.running(2)).map(({ organizationId }) => organizationId)).toEqual([
    'busy',
    'other',
  ]);
  expect(await begin(busy, -1)).toBeUndefined();
  await busy?.stopRedelivery('receiver-0', 'many-0', new Date());
  expect(await begin(busy, 100)).toMatchObject({ _id: 'many-100', state: 'running' });
  await testStore.database.collection('redeliveries').deleteMany({ _id: /^many-/ } as object);
});

test('one of many callers claims a delivery, and only the holder of its token stores the outcome', async () => {
  const { deliveries } = testStore.store.everyOrganization;
  const delivery = {
    _id: 'e-delivery',
    organizationId: 'o',
    clinicId: 'c',
    subscriptionId: 's',
    eventId: 'e',
    event: 'patient.created',
    kind: 'event' as const,
  };
  await deliveries.insert([delivery], new Date());
  await deliveries.insert([delivery, { ...delivery, _id: 'e-other' }], new Date());
  const claims = await Promise.all(
    Array.from({ length: 20 }, (_, caller) => deliveries.claim([delivery], `token-${caller}`, 'worker')),
  );
  const [claimed, ...others] = claims.flat();
  expect(others).toEqual([]);
  const read = () => testStore.database.collection('deliveries').findOne({ _id: 'e-delivery' });
  if (claimed === undefined) throw new Error('no caller has claimed the delivery');
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

test('outcomes that are stored together are assigned to their deliveries by token', async () => {
  const { deliveries } = testStore.store.everyOrganization;
  const ids = ['e-1', 'e-2', 'e-3'];
  const common = {
    organizationId: 'o',
    clinicId: 'c',
    subscriptionId: 's',
    eventId: 'e',
    kind: 'event' as const,
  };
  await deliveries.insert(
    ids.map((_id) => ({ ...common, _id, event: 'patient.created' })),
    new Date(),
  );
  const [first, second, third] = (
    await Promise.all(
      ids.map((_id) =>
        deliveries.claim([{ _id, organizationId: 'o', subscriptionId: 's' }], `token of ${_id}`, 'worker'),
      ),
    )
  ).flat();
  if (first === undefined || second === undefined || third === undefined) throw new Error('not claimed');
  await deliveries.interrupt(new Date(Date.now() + 60_000), new Date());
  const attempt = { attemptTime: new Date(), duration: 1, timings: { firstByte: 1 } };
  await deliveries.finish(
    [
      {
        delivery: first,
        outcome: { ...attempt, outcome: 'succeeded', statusCode: 200, responseBody: '$reason' },
      },
      {
        delivery: second,
        outcome: { ...attempt, outcome: 'failed', cause: 'reset', reason: 'closed', code: 'ECONNRESET' },
      },
      // This token belongs to another delivery of the group.
      { delivery: { ...third, token: first.token }, outcome: { ...attempt, outcome: 'succeeded' } },
    ],
    new Date(),
  );
  const read = (_id: string) => testStore.database.collection('deliveries').findOne({ _id: _id });
  const stored = await read('e-1');
  expect(stored).toMatchObject({ status: 'succeeded', statusCode: 200 });
  expect(await testStore.store.organization('o').deliveries.find('e-1')).toMatchObject({
    responseBody: '$reason',
  });
  expect(stored).not.toHaveProperty('reason');
  expect(stored).not.toHaveProperty('ending');
  expect(await read('e-2')).toMatchObject({
    status: 'failed',
    cause: 'reset',
    reason: 'closed',
    code: 'ECONNRESET',
  });
  expect(await read('e-3')).toMatchObject({ status: 'interrupted', token: 'token of e-3' });
});

test('fifty simultaneous failures in three processes disable a subscription once', async () => {
  const { url, encryptionKeys } = testStore;
  const stores = Array.from({ length: 3 }, () => openWholeStore({ url, encryptionKeys, appName: 'test' }));
  await Promise.all(stores.map((store) => store.prepare()));
  const { subscriptions } = testStore.store.organization('o');
  const sent = { clinicId: 'c', url: 'https://example.com', events: [], active: true };
  const created = await subscriptions.create(sent, new Date());
  if (created === undefined) throw new Error('a new clinic has no room');
  const subscriptionId = created._id;
  const now = Date.now();
  const disabled = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      (stores[index % 3] ?? testStore.store).everyOrganization.receivers.addFailures(
        { subscriptionId, activation: 1, failures: 1, succeeded: false, lastCauses: ['status'], permits: [] },
        new Date(now + index),
        PAUSES,
      ),
    ),
  );
  const winners = disabled.flatMap((added, index) => (added?.disabled ? [index] : []));
  expect(disabled[winners[0] ?? 0]?.disabled).toEqual({
    organizationId: 'o',
    clinicId: 'c',
    lastCauses: Array.from({ length: 5 }, () => 'status'),
  });
  expect(winners).toHaveLength(1);
  expect(await subscriptions.find(subscriptionId)).toMatchObject({
    active: false,
    consecutiveFailures: 20,
    disabledTime: new Date(now + (winners[0] ?? 0)).toISOString(),
    disabledReason:
      'Disabled after 20 failed deliveries in a row. The last causes: the receiver responded with an error status.',
  });
  await Promise.all(stores.map((store) => store.close()));
});

test('a process that sees only failures does not disable a subscription whose successes another process sees', async () => {
  const { url, encryptionKeys } = testStore;
  const other = openWholeStore({ url, encryptionKeys, appName: 'test' });
  await other.prepare();
  const { receivers } = testStore.store.everyOrganization;
  const { subscriptions } = testStore.store.organization('o');
  const sent = { clinicId: 'healthy', url: 'https://example.com', events: [], active: true };
  const created = await subscriptions.create(sent, new Date());
  if (created === undefined) throw new Error('a new clinic has no room');
  const failure = {
    subscriptionId: created._id,
    activation: 1,
    failures: 1,
    succeeded: false,
    lastCauses: ['status' as const],
    permits: [],
  };
  for (let round = 0; round < 3; round++) {
    for (let count = 0; count < 19; count++)
      expect(await receivers.addFailures(failure, new Date(), PAUSES)).not.toHaveProperty('disabled');
    await other.everyOrganization.receivers.clearStreaks([created._id]);
  }
  expect(await subscriptions.find(created._id)).toMatchObject({ active: true, consecutiveFailures: 0 });
  await other.close();
});

test('a disabled subscription lists its last five causes, from failures that were stored one by one', async () => {
  const { receivers } = testStore.store.everyOrganization;
  const { subscriptions } = testStore.store.organization('o');
  const sent = { clinicId: 'causes', url: 'https://example.com', events: [], active: true };
  const created = await subscriptions.create(sent, new Date());
  if (created === undefined) throw new Error('a new clinic has no room');
  const subscriptionId = created._id;
  const fail = (activation: number, ...lastCauses: FailureCause[]) =>
    receivers.addFailures(
      { subscriptionId, activation, failures: lastCauses.length, succeeded: false, lastCauses, permits: [] },
      new Date(),
      PAUSES,
    );
  // Causes of failures before a success are not included.
  await fail(1, 'tls', 'tls', 'tls');
  await receivers.clearStreaks([subscriptionId]);
  for (let count = 0; count < 16; count++) expect(await fail(1, 'dns')).not.toHaveProperty('disabled');
  await fail(1, 'connect');
  await fail(1, 'reset', 'status');
  const lastCauses = ['dns', 'connect', 'reset', 'status', 'timeout'];
  expect(await fail(1, 'timeout')).toEqual({
    consecutiveFailures: 20,
    disabled: { organizationId: 'o', clinicId: 'causes', lastCauses },
  });
  const disabled = await subscriptions.find(subscriptionId);
  expect(disabled?.disabledReason).toBe(
    'Disabled after 20 failed deliveries in a row. The last causes: the host name could not be looked up; ' +
      'the connection was not opened; the connection was closed without a response; ' +
      'the receiver responded with an error status; no response came in time.',
  );
  expect(disabled).not.toHaveProperty('lastCauses');

  await subscriptions.update(subscriptionId, { active: true }, new Date());
  await fail(2, ...Array.from({ length: 19 }, () => 'redirect' as const));
  expect(await fail(2, 'protocol')).toMatchObject({
    disabled: { lastCauses: [...Array(4).fill('redirect'), 'protocol'] },
  });
});

test('causes of subtracted failures are not listed when the subscription is disabled later', async () => {
  const { receivers } = testStore.store.everyOrganization;
  const { subscriptions } = testStore.store.organization('o');
  const sent = { clinicId: 'forgiven', url: 'https://example.com', events: [], active: true };
  const created = await subscriptions.create(sent, new Date());
  if (created === undefined) throw new Error('a new clinic has no room');
  const streak = { subscriptionId: created._id, activation: 1, succeeded: false, permits: [] };
  await receivers.addFailures({ ...streak, failures: 5, lastCauses: ['dns'] }, new Date(), PAUSES);
  await receivers.subtractFailures({ ...streak, failures: 3 });
  const disabled = await receivers.addFailures(
    { ...streak, failures: 18, lastCauses: ['status', 'status'] },
    new Date(),
    PAUSES,
  );
  expect(disabled).toMatchObject({ disabled: { lastCauses: ['status', 'status'] } });
});

test('events leave their records one by one, and outboxAt is removed with the last', async () => {
  const { outbox } = testStore.store.everyOrganization;
  const patients = testStore.database.collection('patients');
  const waiting = ['first', 'second'].map((_id) => ({ _id, event: 'patient.updated', body: '{}' }));
  const [record, other] = [
    { _id: 'record', organizationId: 'o' },
    { _id: 'other', organizationId: 'o' },
  ];
  await patients.insertMany([
    { ...record, outbox: waiting, outboxAt: new Date() },
    { ...other, revision: 1 },
  ]);
  const take = async (...ids: string[]) => {
    const refs = ['record', 'other'].map((recordId) => ({
      organizationId: 'o',
      kind: 'patient' as const,
      recordId,
    }));
    await outbox.takeOut((await outbox.read(refs)).filter(({ _id }) => ids.includes(_id)));
    return patients.findOne({ _id: record._id });
  };
  expect(await take('first')).toMatchObject({ outbox: [{ _id: 'second' }], outboxAt: expect.any(Date) });
  const emptied = await take('second');
  expect(emptied).toMatchObject({ outbox: [] });
  expect(emptied).not.toHaveProperty('outboxAt');
  expect(await patients.findOne({ _id: 'other' })).toEqual({ ...other, revision: 1 });
});

test('a group of writes that does not reach the database fails as unavailable', async () => {
  const { encryptionKeys } = testStore;
  const ids = { _id: 'e-d', organizationId: 'o', clinicId: 'c', subscriptionId: 's', eventId: 'e' };
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
    const unreachable = openWholeStore({
      url: 'mongodb://127.0.0.1:1/x',
      encryptionKeys,
      appName: 'test',
      patience: { waitMs: 500 },
    });
    const error = await write(unreachable.everyOrganization).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(isDatabaseUnavailable(error)).toBe(true);
    await unreachable.close();
  }
});

test('if a connection breaks during a write, the database counts as unreachable; after another fault it does not', () => {
  for (const code of ['ECONNRESET', 'EPIPE']) {
    const error = Object.assign(new Error(`write ${code}`), { code, syscall: 'write' });
    expect(isDatabaseUnavailable(error)).toBe(true);
  }
  for (const error of [new Error('write ECONNRESET'), new TypeError(), { code: 'EPIPE' }, undefined]) {
    expect(isDatabaseUnavailable(error)).toBe(false);
  }
});

test('FerretDB without its PostgreSQL counts as unreachable; after an error of FerretDB itself it does not', () => {
  const internalError = (errmsg: string) =>
    new MongoServerError({ message: errmsg, errmsg, code: 1, codeName: 'InternalError' });
  for (const text of [
    'write failed: write unix @->/run/.s.PGSQL.5432: write: broken pipe',
    'unexpected EOF',
    'pool.go:90 (documentdb.(*Pool).Acquire): failed to connect to `user=postgres database=postgres`',
    'terminating connection due to unexpected postmaster exit',
    'the database system is starting up',
  ]) {
    expect(isDatabaseUnavailable(internalError(text))).toBe(true);
  }
  expect(isDatabaseUnavailable(internalError('unexpected tag for an aggregate'))).toBe(false);
});

test.each([
  // To one of four processes that created a database at the same time.
  'Unable to create metadata database sentinel collection.',
  // To a process that was alone in its database, on a busy machine.
  'Unable to create the specified collection',
  // To a process that created the indexes of a database that had just been dropped.
  "The specified collection 'programTokens' cannot be found.",
])('preparation, and a statement that creates a collection, are tried again after: %s', async (message) => {
  const inTheMaking = new MongoServerError({ message, errmsg: message });
  expect(isDatabaseInTheMaking(inTheMaking)).toBe(true);
  const statement = vi.fn(async () => 'written').mockRejectedValueOnce(inTheMaking);
  expect(await untilMade(statement)).toBe('written');
  expect(statement).toHaveBeenCalledTimes(2);
  expect(isDatabaseInTheMaking(new MongoServerError({ message: 'E11000 duplicate key' }))).toBe(false);
  expect(isDatabaseInTheMaking(new Error(message))).toBe(false);
});

test.each(['patients', 'appointments', 'invoices', 'payments'])(
  'the age of the oldest unsent event includes events that wait in %s',
  async (name) => {
    const collection = testStore.database.collection<{ _id: string; outboxAt: Date }>(name);
    const hourAgo = new Date(Date.now() - 3_600_000);
    await collection.insertOne({ _id: 'waiting', outboxAt: hourAgo });
    const { oldestUnsentMs } = await testStore.store.everyOrganization.backlog.measure();
    expect(oldestUnsentMs).toBeGreaterThan(3_500_000);
    await collection.deleteOne({ _id: 'waiting' });
  },
);

test('deletes a document during concurrent writes of it, and reports it as deleted', async () => {
  const { store, database } = testStore;
  const practice = await createPractice(store);
  const { sessions } = store.everyOrganization;
  const { email, password } = practice.staff;
  const now = new Date();
  const written = (collection: string, _id: string, field: string) =>
    Array.from({ length: 6 }, () =>
      database.collection(collection).updateOne({ _id }, { $set: { [field]: new Date() } }),
    );
  // On FerretDB, a single `deleteOne` may miss the document because of the concurrent writes.
  for (let round = 0; round < 60; round++) {
    const [clinicId] = practice.clinicIds;
    const sent = { clinicId, url: 'https://example.com', events: [], active: true };
    const subscription = await practice.store.subscriptions.create(sent, now);
    const subscriptionId = subscription?._id ?? '';
    const failing = written('subscriptions', subscriptionId, 'lastTried');
    expect(await practice.store.subscriptions.delete(subscriptionId)).toMatchObject({ _id: subscriptionId });

    const key = await createKey(practice.store, { name: 'x', scopes: [], rateLimit: 1 }, now);
    const used = written('apiKeys', key._id, 'lastUsedTime');
    expect(await practice.store.apiKeys.delete(key._id)).toMatchObject({ _id: key._id });
    await Promise.all([...failing, ...used]);
  }
  const session = await sessions.signIn(email, password, now);
  for (let round = 0; round < 60; round++) {
    const _id = `session-${round}`;
    const { organizationId } = practice;
    await database.collection('sessions').insertOne({ _id, organizationId, tokenHash: `hash-${round}` });
    const used = written('sessions', _id, 'usedTime');
    await sessions.end(_id, organizationId);
    await Promise.all(used);
  }
  const left = async (collection: string) =>
    (await database.collection(collection).find({ organizationId: practice.organizationId }).toArray())
      .length;
  expect(session).toBeDefined();
  expect(await left('subscriptions')).toBe(0);
  expect(await left('apiKeys')).toBe(2);
  // These are two sessions of the new practice, and the session created above.
  expect(await left('sessions')).toBe(3);
});
