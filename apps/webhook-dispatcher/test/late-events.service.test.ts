import { deliveryId, newEvent, newId } from '@chairside/domain';
import { type RecordingReceiver, startRecordingReceiver } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDispatcher, type TestDispatcher } from './dispatcher.ts';

const EVENTS = 300;
const MINUTE = 60_000;

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

/** Stores what a dispatcher leaves that crashes after it has stored the deliveries of events, and before it files them. */
const leaveUnfiled = async (subscriptionId: string, time: Date): Promise<string[]> => {
  const { practice, store } = dispatcher;
  const { organizationId } = practice;
  const [clinicId] = practice.clinicIds;
  const author = { principal: { kind: 'system' as const, id: 'test' }, requestId: 'test' };
  const events = Array.from({ length: EVENTS }, () => {
    const record = {
      _id: newId(time),
      clinicId,
      createdTime: time.toISOString(),
      lastEditTime: time.toISOString(),
    };
    return { record, event: newEvent({ _id: newId(time), event: 'patient.created', time, author }, record) };
  });
  await Promise.all(events.map(({ record, event }) => practice.store.patients.create(record, event)));
  const { deliveries, lanes } = store.everyOrganization;
  await deliveries.insert(
    events.map(({ event: { _id: eventId, event } }) => ({
      _id: deliveryId(eventId, subscriptionId),
      organizationId,
      clinicId,
      subscriptionId,
      eventId,
      event,
      kind: 'event',
    })),
    time,
  );
  await lanes.keepOpen('crashed', [{ subscriptionId, organizationId }]);
  await lanes.handOver('crashed');
  return events.map(({ event }) => event._id);
};

test('deliveries of a dispatcher that crashed minutes ago are sent, although their events are not in the log yet', async () => {
  const time = new Date(Date.now() - 2 * MINUTE);
  const { _id } = await dispatcher.subscribe(receiver.url);
  const subscriptions = dispatcher.database.collection<{ _id: string }>('subscriptions');
  await subscriptions.updateOne({ _id }, { $set: { createdTime: time } });
  const events = await leaveUnfiled(_id, time);
  dispatcher.start();

  const deliveries = dispatcher.database.collection('deliveries');
  const waiting = () => deliveries.countDocuments({ status: { $in: ['queued', 'sending'] } });
  await expect.poll(waiting).toBe(0);
  expect(await deliveries.countDocuments({ status: 'skipped' })).toBe(0);
  expect(receiver.posts.map(({ json }) => json.id).sort()).toEqual(events.sort());
});
