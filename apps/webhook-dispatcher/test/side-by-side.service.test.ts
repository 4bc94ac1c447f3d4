import { type RecordingReceiver, startRecordingReceiver } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDispatcher, type TestDispatcher } from './dispatcher.ts';

const DISPATCHERS = 3;
const PATIENTS = 150;

let dispatcher: TestDispatcher;
let receiver: RecordingReceiver;
beforeAll(async () => {
  dispatcher = await openTestDispatcher();
  receiver = await startRecordingReceiver();
  for (let index = 0; index < DISPATCHERS; index++) dispatcher.start();
});
afterAll(async () => {
  await dispatcher.close();
  await receiver.close();
});

test('several dispatchers together attempt each pair of event and subscription once', async () => {
  const subscriptions = [await dispatcher.subscribe(receiver.url), await dispatcher.subscribe(receiver.url)];
  const events: string[] = [];
  // The api puts events that arrive together into one job, and one dispatcher handles a job. So create several jobs.
  while (events.length < PATIENTS) events.push(...(await dispatcher.createPatients(5)));
  const total = PATIENTS * subscriptions.length;
  const deliveries = dispatcher.database.collection('deliveries');
  // On a busy machine, an attempt may time out, before or after it reaches the receiver. There is no second one. After
  // twenty in a row, the subscription is disabled, and its other deliveries are skipped.
  const ended = { status: { $in: ['succeeded', 'failed', 'skipped'] } };
  await expect.poll(() => deliveries.countDocuments(ended)).toBe(total);
  const expected = subscriptions.flatMap(({ _id }) => events.map((event) => `${event}-${_id}`));
  const attempted = receiver.posts.map(({ headers }) => headers['x-service-delivery-id']);
  expect(new Set(attempted).size).toBe(attempted.length);
  expect((await deliveries.distinct('_id', ended)).sort()).toEqual(expected.sort());
  const succeeded = await deliveries.distinct('_id', { status: 'succeeded' });
  expect(attempted).toEqual(expect.arrayContaining(succeeded));
  expect((await deliveries.distinct('worker')).length).toBeGreaterThan(1);
});

/**
 * @returns the time from which a change made during writes must hold. By then all deliveries of these writes have
 * ended.
 */
const changeAmidWrites = async (change: () => Promise<unknown>): Promise<Date> => {
  let open = true;
  const writing = (async () => {
    while (open) await dispatcher.createPatients(5);
  })();
  const before = receiver.posts.length;
  await receiver.until((posts) => posts.length > before + 20);
  await change();
  const responded = Date.now();
  // The service promises that a change takes effect within a second. Writes go on for longer.
  await expect.poll(() => Date.now() > responded + 2000).toBe(true);
  open = false;
  await writing;
  const deliveries = dispatcher.database.collection('deliveries');
  const waiting = () => deliveries.countDocuments({ status: { $in: ['queued', 'sending'] } });
  await expect.poll(waiting).toBe(0);
  return new Date(responded + 1000);
};

test('no process begins an attempt later than a second after the response to a disabling or a deletion', async () => {
  const { subscriptions } = dispatcher.practice.store;
  const [kept, deleted] = await subscriptions.list();
  if (kept === undefined || deleted === undefined) throw new Error('no subscription');
  // They may have been disabled, because a busy machine lets attempts time out.
  for (const { _id } of [kept, deleted]) await subscriptions.update(_id, { active: true }, new Date());
  const inForce = await changeAmidWrites(async () => {
    await subscriptions.update(kept._id, { active: false }, new Date());
    await subscriptions.delete(deleted._id);
  });
  const deliveries = dispatcher.database.collection('deliveries');
  const late = await deliveries.countDocuments({ attemptTime: { $gt: inForce } });
  expect(late).toBe(0);
  expect(await deliveries.distinct('cause', { status: 'skipped' })).toEqual(
    expect.arrayContaining(['subscription_disabled']),
  );
});

test('every process uses a changed URL for attempts that begin a second after the response', async () => {
  const { subscriptions } = dispatcher.practice.store;
  const other = await startRecordingReceiver();
  const { _id } = await dispatcher.subscribe(receiver.url);
  const inForce = await changeAmidWrites(() => subscriptions.update(_id, { url: other.url }, new Date()));
  const deliveries = dispatcher.database.collection('deliveries');
  const late = await deliveries.find({ subscriptionId: _id, attemptTime: { $gt: inForce } }).toArray();
  expect(late.length).toBeGreaterThan(0);
  const arrived = new Set(other.posts.map(({ headers }) => headers['x-service-delivery-id']));
  expect(late.filter((delivery) => !arrived.has(String(delivery._id)))).toEqual([]);
  await subscriptions.delete(_id);
  await other.close();
});
