import { type RecordingReceiver, startRecordingReceiver } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deliveriesIn, openTestDispatcher, type TestDispatcher } from './dispatcher.ts';

let dispatcher: TestDispatcher;
let receiver: RecordingReceiver;
beforeAll(async () => {
  dispatcher = await openTestDispatcher();
  receiver = await startRecordingReceiver();
});
afterAll(async () => {
  await dispatcher.close();
  await receiver.close();
});

test('an event that does not open is skipped and named, and the others are sent', async () => {
  const subscription = await dispatcher.subscribe(receiver.url);
  const events = await dispatcher.createPatients(5);
  const [damaged = '', ...others] = events;
  const changed = await dispatcher.database
    .collection('patients')
    .updateOne({ 'outbox._id': damaged }, { $set: { 'outbox.$.body': Buffer.alloc(64, 'x') } });
  expect(changed.modifiedCount).toBe(1);
  dispatcher.start();
  await receiver.until((posts) => posts.length === others.length);
  const [line] = deliveriesIn(
    await dispatcher.untilLogged((logs) => deliveriesIn(logs).some(({ outcome }) => outcome === 'skipped')),
  ).filter(({ outcome }) => outcome === 'skipped');
  expect(line).toMatchObject({ eventId: damaged, cause: 'event_unreadable' });
  expect(receiver.posts.map(({ json }) => json.id).sort()).toEqual(others.sort());
  // It does not count as a failure of the receiver.
  const { subscriptions, deliveries } = dispatcher.practice.store;
  expect(await subscriptions.find(subscription._id)).toMatchObject({ active: true, consecutiveFailures: 0 });
  const stored = await Array.fromAsync(deliveries.page({ cause: 'event_unreadable' }, {}, 10));
  expect(stored.map(({ eventId, outcome }) => ({ eventId, outcome }))).toEqual([
    { eventId: damaged, outcome: 'skipped' },
  ]);
});
