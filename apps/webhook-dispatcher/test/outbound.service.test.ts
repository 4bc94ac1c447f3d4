import {
  createPractice,
  type Practice,
  type RecordingReceiver,
  startRecordingReceiver,
} from '@chairside/test-support';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWait } from '../src/named-waits.ts';
import { openTestDispatcher, type TestDispatcher } from './dispatcher.ts';

const AUTHOR = { by: 'test' };
const options = { author: AUTHOR, isTrial: false, onProgress() {} };

let dispatcher: TestDispatcher;
let receiver: RecordingReceiver;
let other: RecordingReceiver;
beforeEach(async () => {
  dispatcher = await openTestDispatcher();
  [receiver, other] = [await startRecordingReceiver(), await startRecordingReceiver()];
});
afterEach(async () => {
  await dispatcher.close();
  await Promise.all([receiver.close(), other.close()]);
});

const hostOf = ({ url }: RecordingReceiver): string => new URL(url).host;
const sentTo = ({ posts }: RecordingReceiver): number => posts.length;
const counts = async (): Promise<Record<string, number>> => {
  const all = await dispatcher.database.collection('deliveries').find().toArray();
  return Object.fromEntries(
    Object.entries(Object.groupBy(all, ({ status }) => status)).map(([status, of]) => [
      status,
      of?.length ?? 0,
    ]),
  );
};
const administration = () => dispatcher.store.everyOrganization.administration;
const failuresOf = async (): Promise<number[]> =>
  (await dispatcher.practice.store.subscriptions.list()).map(
    ({ consecutiveFailures }) => consecutiveFailures,
  );

/** Creates patients until a delivery of them was stored, claimed and returned, so that the lane knows that it may not send. */
const untilWithheld = async (count: number): Promise<void> => {
  await dispatcher.createPatients(count);
  await expect.poll(counts).toMatchObject({ queued: count });
};

test('deliveries of a suspended organization wait uncounted, and those of others are sent', async () => {
  await dispatcher.subscribe(receiver.url);
  const neighbour: Practice = await createPractice(dispatcher.store);
  const { clinicIds, store } = neighbour;
  await store.subscriptions.create(
    { clinicId: clinicIds[0], url: other.url, events: [], active: true },
    new Date(),
  );
  dispatcher.start();
  dispatcher.start();
  await dispatcher.createPatients(1);
  await expect.poll(() => sentTo(receiver)).toBe(1);
  const { organizationId } = dispatcher.practice;
  expect(await administration().stops.add({ organizationId, ...AUTHOR })).toBe('added');
  expect(await administration().stops.add({ organizationId, ...AUTHOR })).toBe('present');
  // The dispatchers learn of it within half a second. Until then, they send.
  await expect
    .poll(async () => {
      await dispatcher.createPatients(1);
      return (await counts()).queued ?? 0;
    })
    .toBeGreaterThan(0);
  await expect.poll(async () => (await counts()).sending ?? 0).toBe(0);
  const before = sentTo(receiver);
  await dispatcher.createPatients(20);
  await dispatcher.createPatientsOf(neighbour, 5);
  await expect.poll(() => sentTo(other)).toBe(5);
  await expect.poll(async () => (await counts()).queued ?? 0).toBeGreaterThanOrEqual(20);
  expect(sentTo(receiver)).toBe(before);
  expect(await failuresOf()).toEqual([0]);

  expect(await administration().stops.remove({ organizationId })).toBe(true);
  const patients = await dispatcher.database.collection('patients').countDocuments();
  await expect.poll(counts).toEqual({ succeeded: patients });
  const ids = receiver.posts.map(({ headers }) => headers['x-service-delivery-id']);
  expect(ids).toHaveLength(patients - 5);
  expect(new Set(ids).size).toBe(ids.length);
});

test('deliveries to a blocked host wait, and those to other hosts are sent', async () => {
  await dispatcher.subscribe(receiver.url);
  await dispatcher.subscribe(other.url);
  await administration().stops.add({ host: hostOf(receiver), ...AUTHOR });
  dispatcher.start();
  await dispatcher.createPatients(3);
  await expect.poll(() => sentTo(other)).toBe(3);
  await expect.poll(counts).toEqual({ succeeded: 3, queued: 3 });
  await administration().stops.remove({ host: hostOf(receiver) });
  await expect.poll(counts).toEqual({ succeeded: 6 });
  expect(sentTo(receiver)).toBe(3);
});

test('with OUTBOUND=hold, only what was released leaves, and the rest after a start with send', async () => {
  await dispatcher.subscribe(receiver.url);
  const holding = dispatcher.start({ OUTBOUND: 'hold' });
  await untilWithheld(4);
  expect(await administration().heldDeliveries.release({}, { ...options, isTrial: true })).toBe(4);
  expect(await administration().heldDeliveries.release({}, options)).toBe(4);
  expect(await administration().heldDeliveries.release({}, options)).toBe(0);
  await expect.poll(counts).toEqual({ succeeded: 4 });

  await dispatcher.createPatients(3);
  await expect.poll(counts).toEqual({ succeeded: 4, queued: 3 });
  await holding.stop(createWait().waitFor);
  expect(sentTo(receiver)).toBe(4);
  dispatcher.start();
  await expect.poll(counts).toEqual({ succeeded: 7 });
  expect(sentTo(receiver)).toBe(7);
});

test('what is discarded is skipped, by organization, clinic, subscription and time', async () => {
  const subscription = await dispatcher.subscribe(receiver.url);
  dispatcher.start({ OUTBOUND: 'hold' });
  await untilWithheld(2);
  const { heldDeliveries } = administration();
  const none = { organizationId: 'none' };
  expect(await heldDeliveries.discard(none, options)).toBe(0);
  expect(await heldDeliveries.discard({ clinicId: dispatcher.practice.clinicIds[1] }, options)).toBe(0);
  expect(await heldDeliveries.discard({ until: new Date(0) }, options)).toBe(0);
  expect(await heldDeliveries.discard({ since: new Date(Date.now() + 3_600_000) }, options)).toBe(0);
  expect(await heldDeliveries.discard({ subscriptionId: subscription._id }, options)).toBe(2);
  const discarded = { status: 'skipped', cause: 'outbound_off' };
  expect(await dispatcher.database.collection('deliveries').countDocuments(discarded)).toBe(2);
  const { organizationId } = dispatcher.practice;
  const entries = await dispatcher.database
    .collection('auditEntries')
    .find({ organizationId, by: 'test' })
    .toArray();
  expect(entries).toMatchObject([{ action: 'discarded', kind: 'webhookDelivery', by: 'test', result: 'ok' }]);
});

test('with OUTBOUND=off, deliveries are skipped and nothing is sent', async () => {
  await dispatcher.subscribe(receiver.url);
  dispatcher.start({ OUTBOUND: 'off' });
  await dispatcher.createPatients(3);
  await expect.poll(counts).toEqual({ skipped: 3 });
  expect(sentTo(receiver)).toBe(0);
  expect(await failuresOf()).toEqual([0]);
});
